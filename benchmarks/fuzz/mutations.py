"""A whole input in, a mutated one out: as bytes, as a JSON document, or as an archive of both."""

import copy
import io
import json
import random
import zipfile
from typing import Any

# What readers stumble over: signs of their syntax, numbers at the ends of ranges, odd letters.
WORDS = [
    *(b"\0 \xff \xc3\x28 \xed\xa0\x80 \" ' { } [ ] ( ) < > , ; : | & \\ / % # * - -> --".split()),
    *(b"-1 1e999 -1e999 1e-400 nan inf 0x10 01 9223372036854775808 null true".split()),
    *(b"table default values network variable probability property".split()),
    *(b"<!-- --> <![CDATA[ ]]> &#0; &lt; <!DOCTYPE <VARIABLE> </BIF>".split()),
    *(b"&anchor *anchor !!python !!int".split()),
    *(b'"" {} [] "": ":" from,to a,b required forbidden tiers'.split()),
    *(b"2020-01-31 31.12.1999 1,5 1.000,5 12:30 n/a NaN $1 50% =1+1".split()),
    *(b"\n", b"\r\n", b"\r", b"\t", b"  ", b"\xef\xbb\xbf", b"\xff\xfe"),
]
# Values that a document of JSON may hold where another was.
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 255, 65536, 2**31, 2**62, 2**63, 10**30, 0.5, -0.0, 1e308),
    *("", "x", "nan", "0", [], {}, [[]], [0], [None], {"": 0}, {"array": [0, "<i8", [1]]}),
    *({"array": [0, "<f8", [2, 2]]}, {"array": [1, "|u1", [-1]]}, float("nan"), float("inf")),
]


MAX_PLACES = 2_000


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return an input with pieces flipped, cut, doubled, moved, or put in from a list."""
    own = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 4, 16])):
        place = chance.randrange(len(own) + 1)
        length = chance.choice([1, 1, 2, 8, 64])
        piece = bytes(own[place : place + length])
        match chance.randrange(7):
            case 0 if place < len(own):
                own[place] ^= 1 << chance.randrange(8)
            case 1:
                del own[place : place + length]
            case 2:
                own[place:place] = piece * chance.choice([1, 2, 50])
            case 3:
                own[place : place + length] = chance.randbytes(length)
            case 4:
                elsewhere = chance.randrange(len(own) + 1)
                own[elsewhere:elsewhere] = piece
            case 5:
                own[place : place + length] = chance.choice(WORDS)
            case _:
                own[place:place] = chance.choice(WORDS)
    return bytes(own)


def mutated_json(content: bytes, chance: random.Random) -> bytes:
    """Return a document with some values or keys replaced; of what is none, its bytes mutated."""
    try:
        document = json.loads(content)
        if len(list(_places(document))) > MAX_PLACES:
            return mutated(content, chance)
    except (ValueError, RecursionError):
        return mutated(content, chance)
    for _ in range(chance.choice([1, 1, 2, 4])):
        places = list(_places(document))
        if not places:
            break
        holder, key = chance.choice(places)
        match chance.randrange(5):
            case 0 if isinstance(holder, dict):
                holder[chance.choice(["", "x", str(key) * 2])] = holder.pop(key)
            case 1:
                del holder[key]
            case 2:
                other, there = chance.choice(places)
                holder[key] = copy.deepcopy(other[there])
            case 3 if isinstance(holder, list):
                holder.extend([holder[key]] * chance.choice([1, 3, 300]))
            case _:
                holder[key] = copy.deepcopy(chance.choice(VALUES))
    return json.dumps(document).encode()


def _places(value: Any) -> Any:
    """Give every list or object with each of its places, that of no child before its holder's."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def mutated_archive(content: bytes, chance: random.Random) -> bytes:
    """Return an archive with one member mutated; of what is none, or by chance, its bytes.

    Flipped bits of an archive nearly always end at its checksums. A stranger's are right.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # zipfile has a dozen kinds for what is no archive
        return mutated(content, chance)
    if not members or chance.random() < 0.2:
        return mutated(content, chance)
    name = chance.choice([*members, "learner.json", "learner.json"])
    mutate = mutated_json if name.endswith(".json") and chance.random() < 0.8 else mutated
    members[name] = mutate(members.get(name, b""), chance)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for one, own in members.items():
            archive.writestr(one, own)
    return packed.getvalue()
