#!/bin/sh
# Recipes that need jq. Each runs against a sandbox of its own:
#
#   npx svc sandbox exec -- sh test/readme/with-jq.sh
#
set -eu

# How many messages each side of a ticket wrote.
svc tickets history 640000e2caa033e218000006 -o ndjson | jq -r .direction | sort | uniq -c

# The addresses of a list as a mailing program wants them: one "Name <address>" a line.
svc lists members VIP -o ndjson --limit 5 -q |
  jq -r '.contact | select(.identities.email[0]) | "\(.firstName) \(.lastName) <\(.identities.email[0])>"'

# A bulk run in one line, for a log.
svc lists members VIP -o ids > "${TMPDIR:-/tmp}/svc-ids.$$"
trap 'rm -f "${TMPDIR:-/tmp}/svc-ids.$$"' EXIT
svc lists add-contacts "Campaign 295" --file "${TMPDIR:-/tmp}/svc-ids.$$" --json |
  jq -c '{run, status, added: .result.added, failed: .result.failed}'

# Employees by kind and status.
svc employees list --json | jq -r '.[] | "\(.kind) \(.status)"' | sort | uniq -c
