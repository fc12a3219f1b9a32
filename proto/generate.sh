#!/bin/sh
# Writes the Python code of the wire contract to sdk/python/bourre/v1.
#   proto/generate.sh           writes it
#   proto/generate.sh --check   writes nothing; names the files that differ and fails where some do
# The generator lives in .venv-proto, made here from proto/requirements.txt.
set -eu
cd "$(dirname "$0")/.."

venv=.venv-proto
target=sdk/python

case "${1-}" in
"") out=$target ;;
--check)
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
    ;;
*)
    echo "usage: proto/generate.sh [--check]" >&2
    exit 2
    ;;
esac

if ! cmp -s proto/requirements.txt $venv/requirements.txt; then
    "${PYTHON:-python3}" -m venv --clear $venv
    $venv/bin/pip install --quiet --disable-pip-version-check -r proto/requirements.txt
    cp proto/requirements.txt $venv/requirements.txt
fi

# Only play.proto has a service; the gRPC plugins would write empty files for the others.
PATH="$PWD/$venv/bin:$PATH"
protoc="$venv/bin/python -m grpc_tools.protoc --proto_path=proto"
$protoc --python_out="$out" --mypy_out="quiet:$out" proto/bourre/v1/*.proto
$protoc --grpc_python_out="$out" --mypy_grpc_out="quiet:$out" proto/bourre/v1/play.proto

[ "$out" = "$target" ] && exit 0
differing=$(for file in "$out"/bourre/v1/*_pb2* "$target"/bourre/v1/*_pb2*; do
    name=bourre/v1/$(basename "$file")
    cmp -s "$out/$name" "$target/$name" || echo "$target/$name"
done | sort -u)
[ -z "$differing" ] && exit 0
printf 'proto/generate.sh: not what the generator writes:\n%s\n' "$differing" >&2
exit 1
