/**
 * Scripts for `svc sandbox rehearse`: those with a mistake that people make, each with the fault and the request that must show it,
 * and right ones. `$LIST`, `$VIP`, `$KEEP` and the like are ids; `old.txt`, `few.txt` and `pairs.csv` lie beside the script.
 */

const remove = 'POST /v1/contacts/bulk-delete'
const add = 'POST /v1/lists/$LIST/contacts'
const read = 'GET /v1/lists/$VIP'
const merge = 'POST /v1/contacts/$A/merge'
const create = 'POST /v1/lists'

/** How a fault shows it: the fault, the beginning of the request (none: two started together), a word of the problem. */
const by = (shown, scripts) =>
  Object.fromEntries(Object.entries(scripts).map(([name, script]) => [name, [script, shown]]))

/** By what is wrong with it: the script, and how a fault shows it. */
export const planted = {
  ...by(['refused', read, 'another end'], {
    'no set -e: the file of a failed read is used': `svc lists members $VIP -o ids > ids.txt
svc lists add-contacts $LIST --file ids.txt --yes`,
    'ids lost in a pipe': 'svc lists members $VIP -o ids | svc lists add-contacts $LIST - --yes',
    'ids lost in a pipe through head': `svc lists members $VIP -o ids | head -150 > ids.txt
svc lists add-contacts $LIST --file ids.txt --yes`,
    'a failed substitution in the arguments':
      'set -e; svc lists add-contacts $LIST $(svc lists members $VIP -o ids) --yes',
    'set -e does not count in a condition': `set -e
work() { svc lists members $VIP -o ids > ids.txt; svc lists add-contacts $LIST --file ids.txt --yes; }
if work; then echo done; fi`,
    'half a file is used again': `set -e
[ -e vip.txt ] || svc lists members $VIP -o ids > vip.txt
svc lists add-contacts $LIST --file vip.txt --yes --once job`,
  }),
  ...by(['refused', 'GET /v1/lists/$KEEP', 'another end'], {
    'what is to be kept could not be read': `svc lists members $KEEP -o ids > keep.txt
svc ids subtract kept.txt keep.txt --allow-empty > go.txt && svc contacts delete --file go.txt --yes --accept blocked`,
  }),
  ...by(['refused', remove, 'another end'], {
    '|| true': 'set -e; svc contacts delete --file old.txt --yes || true',
    'exit code ignored': 'svc contacts delete --file old.txt --yes; echo done',
    'only exit code 1 counts as a failure':
      'svc contacts delete --file old.txt --yes; if [ $? -eq 1 ]; then exit 1; fi',
    'errors hidden': 'svc contacts delete --file old.txt --yes > log.txt 2>&1 || exit 0',
    'the exit code is that of tee': 'set -e; svc contacts delete --file old.txt --yes | tee log.txt',
    'a trap that hides the exit code': `set -e; trap 'exit 0' EXIT; svc contacts delete --file old.txt --yes`,
    'a loop ends with its last one':
      'while read -r id; do svc contacts delete "$id" --yes --accept blocked < /dev/null; done < few.txt',
    'the mark that says done comes first':
      '[ ! -e done ] || exit 0; touch done; svc contacts delete --file old.txt --yes',
    'the input is removed whatever happened': 'svc contacts delete --file old.txt --yes; rm old.txt',
  }),
  ...by(['refused', add, 'another end'], {
    'wait without looking': `svc lists add-contacts $LIST --file old.txt --yes &
svc contacts delete --file few.txt --yes --accept blocked &
wait`,
    'the second step does not wait for the first':
      'svc lists add-contacts $LIST --file few.txt --yes; svc contacts delete --file old.txt --yes',
    'xargs || true': 'xargs -n 100 svc lists add-contacts $LIST --yes < old.txt || true',
  }),
  ...by(['refused', remove, 'still ends with'], {
    'the input is moved before it is used': 'set -e; mv old.txt work.txt; svc contacts delete --file work.txt --yes',
    'a lock that a failure leaves behind': 'set -e; mkdir lock; svc contacts delete --file old.txt --yes; rmdir lock',
  }),
  ...by(['killed', 'PATCH /v1/tickets/$TICKET/assignee', 'another end'], {
    'a counter that goes on with each start': `set -e; n=$(cat n 2> n.err || echo 1); echo $((n + 1)) > n
svc tickets assign $TICKET --to "$(sed -n "$n"p employees.txt)"`,
  }),
  ...by(['killed', remove, 'told as not-found'], {
    'a retry without --once': 'for try in 1 2 3; do svc contacts delete --file old.txt --yes && break; done',
    'receipts overwritten':
      'set -e; rm -f r.csv; svc contacts delete --file old.txt --yes --accept not-found --receipts r.csv',
    'another name at each start': 'set -e; svc contacts delete --file old.txt --yes --once "job-$$"',
    'a state folder that does not outlive the start': `set -e; SVC_STATE_DIR=$PWD/$(mktemp -d state.XXXXXX); export SVC_STATE_DIR
svc contacts delete --file old.txt --yes --once job`,
  }),
  ...by(['together', undefined, 'told as not-found'], {
    'two started together, without --once': 'set -e; svc contacts delete --file old.txt --yes --accept not-found',
  }),
  ...by(['lost', merge, 'sent again'], {
    'a merge that is repeated until it works':
      'until svc contacts merge $A --into $B --yes; do [ $? = 7 ] || exit 0; done',
  }),
  ...by(['killed', create, ''], {
    'a list that is created again': 'set -e; svc lists create --name Spring',
  }),
  ...by(['lost', create, 'sent again'], {
    'a raw request that is repeated': 'set -e; svc api lists -f name=Spring -f description=x',
  }),
}

/** Beside the recipes. */
export const right = {
  'a deletion with a name and its own input': `set -eu
[ -e go.txt ] || { cp old.txt go.part && mv go.part go.txt; }
svc contacts delete --file go.txt --yes --once cleanup --receipts deleted.csv`,
  'merges with a name': 'svc contacts merge --file pairs.csv --yes --once merges',
  'an addition that may be repeated': 'svc lists add-contacts $LIST --file old.txt --yes',
  'a pipe with pipefail': `set -o pipefail
svc lists members $VIP -o ids | svc lists add-contacts $LIST - --yes`,
  'a report': 'svc lists members $VIP -o csv > people.part && mv people.part people.csv',
  'a change of a list': 'svc lists update $LIST --description "seen by the nightly job"',
  'tickets with a name': 'svc tickets assign --file tickets.txt --to $EMPLOYEE --yes --once tickets',
}
