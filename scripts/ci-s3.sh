#!/usr/bin/env bash
# The suites of test/s3 against a real S3 service: a Ceph Object Gateway in a chroot, on the
# loopback address, which this script installs, starts, and stops again. It needs root and the
# scripts in ../shared/tools/s3; without them it says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=../shared/tools/s3
root=/var/lib/ceph-ci
port=7480
careless_port=7481
data=/srv/ci

skip() { echo "skipped: $*"; exit 0; }
[ -d "$tools" ] || skip "$tools is missing"
[ "$(id -u)" = 0 ] || skip "installing and starting Ceph needs root"

# One run at a time: the gateway and its monitor have fixed ports.
mkdir -p "$root.lock"
exec 9> "$root.lock/run"
flock 9

stop() {
  # The gateway first: without the others it would wait for them for minutes.
  for daemon in careless rgw osd mon; do
    local file="$root$data/$daemon.pid"
    [ -e "$file" ] || continue
    local pid; pid=$(cat "$file")
    # The number of a process that is long gone may be another one's by now.
    [ "$(readlink "/proc/$pid/root")" = "$root" ] || continue
    kill "$pid" 2> /dev/null || true
    for _ in $(seq 50); do kill -0 "$pid" 2> /dev/null || break; sleep 0.2; done
    kill -9 "$pid" 2> /dev/null || true
  done
  rm -rf "$root$data"
}

programs="ceph ceph-mon ceph-osd radosgw radosgw-admin curl bc"
installed() {
  chroot "$root" sh -c "for name in $programs; do command -v \$name || exit 1; done" > /dev/null 2>&1
}
if ! installed; then
  rm -rf "$root" # What an installation left behind that was interrupted.
  # The installer reads this file, which machines with sources in the newer form lack.
  [ -e /etc/apt/sources.list ] || touch /etc/apt/sources.list
  # The set-up of some packages wants /proc in the chroot; what the suites need works without.
  bash "$tools/ceph-install.sh" "$root" 9>&- || echo "the installer failed; looking what is there"
  installed || { echo "Ceph could not be installed in $root"; exit 1; }
fi
stop # What a run left behind that was killed.
trap stop EXIT
mkdir -p "$root/root"
cp "$tools/ceph-up.sh" "$root/root/"
PORT=$port chroot "$root" /root/ceph-up.sh "$data" 9>&-

# The same gateway over a database file ignores the conditions of puts: one to be refused.
start_careless() {
  local folder=$data/careless
  mkdir -p "$root$folder/data"
  cat > "$root$folder/ceph.conf" << CONF
[global]
log file = $folder/log
run dir = $folder
admin socket = $folder/socket
rgw backend store = dbstore
rgw config store = dbstore
dbstore config uri = file:$folder/config.db
dbstore db dir = $folder
rgw data = $folder/data
rgw frontends = beast endpoint=127.0.0.1:$careless_port
CONF
  local options=(-c "$folder/ceph.conf" -n client.rgw.a --no-mon-config)
  chroot "$root" setsid radosgw "${options[@]}" -f > "$root$folder/out" 2>&1 9>&- &
  echo $! > "$root$data/careless.pid"
  for _ in $(seq 100); do
    curl -s -o /dev/null "http://127.0.0.1:$careless_port/" && break
    sleep 0.2
  done
  chroot "$root" radosgw-admin "${options[@]}" user create --uid=test --display-name=test \
    --access-key=testkey --secret-key=testsecret > /dev/null 2>&1 9>&-
}
start_careless

export S3_TEST_ENDPOINT="http://127.0.0.1:$port"
export S3_TEST_CARELESS_ENDPOINT="http://127.0.0.1:$careless_port"
export AWS_ACCESS_KEY_ID=testkey AWS_SECRET_ACCESS_KEY=testsecret
export AWS_EC2_METADATA_DISABLED=true
npm run --silent test:s3 9>&-
