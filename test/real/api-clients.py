"""Asks an API server with clients from PyPI: `api-clients.py <what> <base url> <key>`. Prints JSON."""
import json
import sys

what, base, key = sys.argv[1:4]
question = [{"role": "user", "content": "What is in a.txt?"}]


def official():
    from openai import OpenAI

    client = OpenAI(base_url=base, api_key=key, max_retries=0)
    whole = client.chat.completions.create(model="m", messages=question)
    pieces = []
    for chunk in client.chat.completions.create(model="m", messages=question, stream=True):
        # As most programs read a stream: the first choice, without looking whether there is one.
        pieces.append(chunk.choices[0].delta.content or "")
    with client.chat.completions.stream(model="m", messages=question) as stream:
        for _event in stream:
            pass
        helped = stream.get_final_completion().choices[0].message.content
    with client.responses.stream(model="m", input="What is in a.txt?") as stream:
        for _event in stream:
            pass
        response = stream.get_final_response()
    chained = client.responses.create(model="m", input="And now?", previous_response_id=response.id)
    return {
        "models": [model.id for model in client.models.list()],
        "whole": whole.choices[0].message.content,
        "stream": "".join(pieces),
        "helper": helped,
        "response": response.output_text,
        "types": [item.type for item in response.output],
        "chained": chained.output_text,
    }


def litellm():
    import litellm

    litellm.telemetry = False
    target = {"model": "openai/m", "api_base": base, "api_key": key, "messages": question}
    whole = litellm.completion(**target)
    stream = litellm.completion(**target, stream=True)
    pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
    return {"whole": whole.choices[0].message.content, "stream": "".join(pieces), "tokens": whole.usage.total_tokens}


print(json.dumps({"official": official, "litellm": litellm}[what]()))
