#!/usr/bin/env bash
# Official clients in other languages against a server that is started here from src/: installs
# each with its package manager into a temporary folder and runs its program in test/clients. Then
# the examples of the documentation. A language whose toolchain is missing, or whose client the
# registry does not have, is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

clients=$PWD/test/clients
work=$(mktemp -d)
server=
stop() {
  if [ -n "$server" ]; then
    kill "$server" || true
    wait "$server" || true
  fi 2> /dev/null
  rm -rf "$work"
}
trap stop EXIT

npm run --silent build
# Of the tests' random draws; a server refuses settings that it does not know.
unset TRAWL_SEED
# No load balancer need be told that the server ends.
export TRAWL_DRAIN_DELAY=0s
mkdir -m 700 "$work/keys"
head -c 32 /dev/urandom > "$work/keys/first"
# Models that need no network have no setting: the tests' entry point replaces the configuration.
models='{"engine":{"embedding":{"kind":"hash"},"reranking":{"kind":"words","models":["words"]}}}'
node scripts/run.js exec test/support/servers/replaced-program.ts "$models" \
  serve --port 0 --data-dir "$work/data" --query-threads 2 --encryption-keys "$work/keys" --log-level warn > "$work/log" 2>&1 &
server=$!
for _ in $(seq 300); do
  url=$(sed -nE 's/.*address +(http:[^ ]+).*/\1/p' "$work/log")
  [ -z "$url" ] || break
  kill -0 "$server" 2> /dev/null || { cat "$work/log"; exit 1; }
  sleep 0.1
done
[ -n "$url" ] || { cat "$work/log"; exit 1; }
export TURBOPUFFER_BASE_URL=$url TURBOPUFFER_API_KEY=any
unset TURBOPUFFER_REGION

failed=0
run() {
  "$@" && return
  echo "failed: $*"
  cat "$work/log"
  failed=1
}
skip() { echo "skipped: $*"; }

# What cannot be fetched is skipped; what is there must be installed, built and run.
python() {
  command -v python3 > /dev/null || { skip "Python: there is no python3"; return; }
  local wanted=$clients/python/requirements.txt bin=$work/python/bin
  python3 -m venv "$work/python"
  "$bin/pip" download --quiet --no-deps --dest "$work/wheels" --requirement "$wanted" ||
    { skip "Python: the registry does not have the client"; return; }
  run "$bin/pip" install --quiet --requirement "$wanted"
  run "$bin/python" "$clients/python/drive.py"
  export TRAWL_TEST_PYTHON=$bin/python
}

# What docs/, README.md and examples/ show, in Python too where its client is there.
examples() {
  run npm run --silent test:programs -- --project=examples
}

go_client() {
  command -v go > /dev/null || { skip "Go: there is no go"; return; }
  cp -r "$clients/go" "$work/go"
  cd "$work/go"
  export GOPATH=$work/gopath GOFLAGS="${GOFLAGS:-} -modcacherw"
  go mod download || { skip "Go: the proxy does not have the client"; return; }
  run go mod tidy
  run go run .
}

rust() {
  command -v cargo > /dev/null || { skip "Rust: there is no cargo"; return; }
  cp -r "$clients/rust" "$work/rust"
  cd "$work/rust"
  export CARGO_HOME=$work/cargo
  cargo fetch --quiet || { skip "Rust: the registry does not have the client"; return; }
  run cargo run --quiet
}

python
examples
go_client
rust
exit "$failed"
