/** Faults at random: what may go wrong, with which operation, and when. */

/** Of connections, of statuses, of answers; the last are applied when the client has given up, or the whole run has ended. */
export const faults = `
drop-before; drop-after-apply; drop-mid; drop-mid(at=3); drop-mid(whole-at=20); reset; reset(apply); apply-half
500; 500(apply); 502(apply); 503; 503(retry-after=0); 503(retry-after=0, apply); 429(retry-after=0); 429; 408; 408(apply)
400; 404; 422; 401; 403; 301; 204(apply); redirect(http://127.0.0.1:9/)
truncated-json; invalid-json; invalid-utf8; garbage-after; html; html(apply); empty; null; missing-data; wrong-shape
unknown-fields; number-ids; wrong-sums; foreign-ids; upper-case; lower-case; gzip; content-length(+5); content-length(-5)
content-type(text/plain); deep(200); no-date; date(never)
hang-before; hang-after-apply; delay(20ms); delay(20ms, before); delay(200ms, before); late(1ms); late(100ms); late(600ms)
500(late=100ms); 503(retry-after=0, late=50ms); drop-before(late=100ms); drop-before(late=600ms)
`
  .trim()
  .split(/; |\n/)

/** What each command asks of the service. */
const operations = {
  delete: ['contacts.delete'],
  add: ['lists.add-contacts'],
  assign: ['tickets.assign', 'tickets.assign', 'tickets.history'],
  merge: ['contacts.merge'],
  'delete-one': ['contacts.delete'],
  'merge-one': ['contacts.merge'],
  'assign-one': ['tickets.assign', 'tickets.history'],
  create: ['lists.create', 'lists.create', 'lists.list'],
  update: ['lists.update'],
}

/** Rules for a command of this kind, with some of the faults. */
export function someFaults(kind, { random, chosen }) {
  const pick = (items) => items[Math.floor(random() * items.length)]
  const count = 1 + Math.floor(random() * 4)
  const rules = [`seed=${Math.floor(random() * 1e6)}`, 'latency=1ms', ...(random() < 0.2 ? ['*=close-after(1ms)'] : [])]
  for (let i = 0; i < count; i += 1) {
    const first = 1 + Math.floor(random() * 6)
    const place = pick([`${first}`, `${first}-${first + 2}`, `${5 + Math.floor(random() * 40)}%`])
    rules.push(`${pick(operations[kind])}:${place}=${pick(chosen)}`)
  }
  return rules.join(', ')
}
