#!/usr/bin/env bash
# The ways in which Trawl is installed, each into a folder of its own, with what they may take of the
# disk: the npm package beside a new Node, the same beside an old one, and a clone without the tools
# of development whose dist/ was built elsewhere. Each starts, stores a document, finds it, and stops.
set -euo pipefail
cd "$(dirname "$0")/.."

clone=$PWD
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
# A server refuses settings that it does not know, and npm must not take these folders for the clone.
unset TRAWL_SEED "${!npm_@}"
# No load balancer need be told that the server ends.
export TRAWL_DRAIN_DELAY=0s

# Bytes on disk that an installation may take, without and with a Node of its own.
bytes_max=60000000
bytes_with_node_max=200000000

# weigh FOLDER MAX WHAT: fails where the folder takes more of the disk.
weigh() {
  local bytes=$(($(du -sk "$1" | cut -f1) * 1024))
  echo "$3 takes $bytes bytes"
  [ "$bytes" -le "$2" ] || { echo "that is more than $2"; exit 1; }
}

# try NAME COMMAND...: starts a server, uses it, ends it.
try() {
  local name=$1 log=$work/$1.log url=
  shift
  : > "$log"
  "$@" --port 0 --data-dir "$work/$name-data" --log-level warn > "$log" 2>&1 &
  server=$!
  for _ in $(seq 600); do
    url=$(sed -nE 's/.*address +(http:[^ ]+).*/\1/p' "$log")
    [ -z "$url" ] || break
    kill -0 "$server" 2> /dev/null || { cat "$log"; exit 1; }
    sleep 0.1
  done
  [ -n "$url" ] || { cat "$log"; exit 1; }
  node - "$url" << 'SCRIPT'
const base = `${process.argv[2]}/v2/namespaces/books`;
async function call(path, body) {
  const answer = await fetch(base + path, { method: "POST", body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json();
}
async function look(path) {
  const answer = await fetch(process.argv[2] + path);
  const text = await answer.text();
  if (!answer.ok || !text.startsWith("<!doctype html>")) throw new Error(`${path}: ${text}`);
}
async function main() {
  await look("/console/");
  await look("/docs/");
  const row = { id: 7, vector: [0.5, 1], title: "A walrus at sea" };
  await call("", {
    upsert_rows: [row],
    distance_metric: "cosine_distance",
    schema: { title: { type: "string", full_text_search: true } },
  });
  const { rows } = await call("/query", { rank_by: ["title", "BM25", "walrus"], limit: 1 });
  if (rows[0].id !== row.id) throw new Error(`found ${JSON.stringify(rows)}`);
}
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
SCRIPT
  kill "$server"
  wait "$server" || true
  server=
  for _ in $(seq 100); do
    node -e "fetch('$url').then(() => process.exit(1), () => {})" && break
    sleep 0.1
  done
  node -e "fetch('$url').then(() => process.exit(1), () => {})" ||
    { echo "$name: the server goes on without the shell that started it"; exit 1; }
  echo "$name: stores, finds and stops"
}

package=$(npm run --silent pack | tail -n 1)
echo "the package has $(wc -c < "$package") bytes"

mkdir "$work/installed"
cd "$work/installed"
npm install --ignore-scripts --no-audit --no-fund "$package" > "$work/install.log" 2>&1 ||
  { cat "$work/install.log"; exit 1; }
weigh . "$bytes_max" "the package, installed"

carried=$(find "$clone/node_modules" -maxdepth 3 -path '*/node-*/bin/node' | head -n 1)
new_enough=$(node --input-type=module -e "
  import { isNewEnough } from '$clone/scripts/find-node.js';
  console.log(isNewEnough(process.version));
")
if [ "$new_enough" = true ]; then
  try package npx trawl serve
elif [ -n "$carried" ]; then
  PATH=$(dirname "$carried"):$PATH try package npx trawl serve
fi
[ ! -e node_modules/trawl/node/node_modules ] || { echo "a Node was fetched for nothing"; exit 1; }
if [ "$new_enough" = false ]; then
  try package-with-node npx trawl serve
  weigh . "$bytes_with_node_max" "the package with a Node of its own"
fi

mkdir "$work/clone"
git -C "$clone" ls-files -z | (cd "$clone" && tar -c --null --files-from -) | tar -x -C "$work/clone"
cp -R "$clone/dist" "$work/clone/dist"
cd "$work/clone"
npm ci --omit=dev --ignore-scripts --no-audit --no-fund > "$work/ci.log" 2>&1 ||
  { cat "$work/ci.log"; exit 1; }
# npm starts it in the clone's folder.
try clone npm start --
try clone-by-name npx trawl serve
for name in clone clone-by-name; do
  ! grep -E 'installing|building' "$work/$name.log" || exit 1
done
