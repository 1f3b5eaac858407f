"""The real server of llama.cpp, from the package xllamacpp: MODEL ADDRESS WINDOW, where the address is a port or the path of a socket."""
import sys
import threading

import xllamacpp

model, address, window = sys.argv[1:4]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {"smollm2"}
params.n_ctx = int(window)
params.n_parallel = 1
params.use_jinja = True
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
if address.isdigit():
    params.port = int(address)
else:
    params.hostnames = [address]
server = xllamacpp.Server(params)
threading.Event().wait()
