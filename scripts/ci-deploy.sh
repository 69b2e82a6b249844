#!/usr/bin/env bash
# deploy/Dockerfile, built and used: by Docker where an engine answers, else step by step in a folder
# (scripts/run-dockerfile.ts). The other files of deploy/ are looked at by test/deploy.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! docker info > /dev/null 2>&1; then
  echo "there is no Docker engine here: the steps are run in a folder"
  exec node scripts/run.js exec scripts/run-dockerfile.ts
fi

image=trawl-ci-$$
container=
stop() {
  [ -z "$container" ] || docker rm --force "$container" > /dev/null
  docker rmi --force "$image" > /dev/null
}
trap stop EXIT

docker build --file deploy/Dockerfile --tag "$image" .
bytes=$(docker image inspect --format '{{.Size}}' "$image")
echo "the image has $bytes bytes"
[ "$bytes" -le 250000000 ] || { echo "that is more than 250 MB"; exit 1; }

if docker run --rm "$image" > /dev/null 2>&1; then
  echo "it starts without a key"
  exit 1
fi
container=$(docker run --detach --read-only --tmpfs /tmp --env TRAWL_API_KEY=key-of-the-trial "$image")
for _ in $(seq 60); do
  state=$(docker inspect --format '{{.State.Health.Status}}' "$container")
  [ "$state" != healthy ] || break
  sleep 1
done
[ "$state" = healthy ] || { docker logs "$container"; exit 1; }
docker stop --time 45 "$container" > /dev/null
[ "$(docker inspect --format '{{.State.ExitCode}}' "$container")" = 0 ] || { docker logs "$container"; exit 1; }
echo "it is healthy, and stops"
