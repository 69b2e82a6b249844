#!/usr/bin/env bash
# Installs Chromium for the suites of the console, by apt, where there is none and that is allowed.
# If it cannot be, those suites are skipped, and say so.
set -euo pipefail

has_chromium() {
  local name
  [ -z "${TRAWL_CHROMIUM:-}" ] || return 0
  for name in chromium chromium-browser google-chrome; do
    if command -v "$name" > /dev/null; then return 0; fi
  done
  return 1
}

if ! has_chromium && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  apt-get install -y --no-install-recommends chromium > /dev/null 2>&1 ||
    { apt-get update > /dev/null && apt-get install -y --no-install-recommends chromium > /dev/null; } ||
    echo "skipped: Chromium cannot be installed"
fi
