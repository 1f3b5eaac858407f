#!/bin/sh
# A lightpanda that knows nothing of the proxy in its environment.
unset http_proxy https_proxy ws_proxy wss_proxy all_proxy ALL_PROXY HTTPS_PROXY
exec "$LIGHTPANDA" "$@"
