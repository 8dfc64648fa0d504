/**
 * What a run claims of each id, held against what the service recorded, in both directions: nothing may be claimed that is
 * not so, and nothing may be left open that could be known. What svc cannot have known is what it was not told: an answer
 * that was lost on the way, or that came while it was being killed.
 */

/** Problems of four sorts: `lost` ids, `doubled` work, `false` claims, claims that are too `weak`. */
export class Verdict {
  lost = []
  doubled = []
  false = []
  weak = []

  get isGood() {
    return sorts.every((sort) => this[sort].length === 0)
  }

  addAll(other) {
    for (const sort of sorts) this[sort].push(...other[sort])
  }

  /** Notes a claim that is not among the possible ones. */
  compare(what, outcome, possible) {
    if (possible.includes(outcome)) return
    const isWeak = ['unknown', 'gone', 'undetermined'].includes(outcome) && !possible.includes('not-attempted')
    this[isWeak ? 'weak' : 'false'].push(`${what} is claimed to be ${outcome}, not ${possible.join(' or ')}`)
  }
}

export const sorts = ['lost', 'doubled', 'false', 'weak']

/** How often a crash test found each sort of mistake, and what it prints of them. */
export class Tally {
  lost = 0
  doubled = 0
  false = 0
  weak = 0

  /** Counts what a verdict holds, and prints the first of each sort. */
  add(verdict, what, most = 3) {
    for (const sort of sorts) {
      this[sort] += verdict[sort].length
      for (const problem of verdict[sort].slice(0, most)) console.log(`${what}: ${sort}: ${problem}`)
    }
  }

  get isGood() {
    return sorts.every((sort) => this[sort] === 0)
  }

  /** Prints the last line, and decides the exit code. */
  end(line, isGood = this.isGood) {
    console.log(line)
    process.exitCode = isGood ? 0 : 1
  }

  toString() {
    return `${this.lost} lost, ${this.doubled} doubled, ${this.false} falsely claimed, ${this.weak} claimed too weakly`
  }
}

const harmless = /^(?:delay|unknown-fields|upper-case|lower-case|no-date|date)\b/
/** An answer of these says nothing that may be believed. */
const useless = /^(?:wrong-sums|foreign-ids|truncated-json|invalid-json|garbage-after|html|empty|null|missing-data)\b/

/** What the client was told: a `good` answer, `maybe` one, a `refused` one, or none that it could use. */
export function answerOf({ status, fault, operation }) {
  if (typeof status !== 'number') return 'lost'
  if (status >= 400 && status < 500 && status !== 408) return 'refused'
  if (status < 200 || status > 299) return 'lost'
  const kinds = [...(fault ?? '').matchAll(/=([^,]+)/g)].map(([, kind]) => kind)
  const isOfIds = operation === 'contacts.delete' || operation === 'lists.add-contacts'
  // The answer to an add has counts and no ids that could be foreign.
  const told = kinds.filter((kind) => operation !== 'lists.add-contacts' || !kind.startsWith('foreign-ids'))
  if (isOfIds && told.some((kind) => useless.test(kind))) return 'lost'
  return told.every((kind) => harmless.test(kind)) ? 'good' : 'maybe'
}

/** A refusal that did not come whole: the client that sent the request cannot know that it was one. */
const isTorn = ({ status, fault }) => status >= 400 && status < 500 && /=content-length/.test(fault ?? '')

const lower = (id) => id.toLowerCase()

/** What a request may have done to an id, in the words of the record. */
export const effects = ['deleted', 'notFound', 'blocked', 'added', 'skipped', 'failed']

/** The ids that a request reached. */
const reached = (entry) => effects.flatMap((effect) => entry[effect] ?? [])

/** Items by their keys, in a Map of arrays. */
export function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) {
    if (!groups.has(keyOf(item))) groups.set(keyOf(item), [])
    groups.get(keyOf(item)).push(item)
  }
  return groups
}

const batchesOf = (receipts) => groupBy(receipts, ({ batch }) => batch).values()

/**
 * The requests of a batch that were applied, wholly or in part. `isWhole`: the last one reached all of it. `hidden`:
 * more attempts were made than are seen here, so what they were told is not known.
 */
function attemptsOf(batch, entries) {
  const ids = new Set(batch.map(({ id }) => lower(id)))
  const visible = entries.filter((entry) => reached(entry).some((id) => ids.has(id)))
  return { ids, visible, hidden: batch[0].attempts > visible.length, last: visible.at(-1) }
}

/** A batch is not sent again once it had a good answer; what was in flight when svc was killed had none. */
function noteResent(verdict, { visible, ids }, allowed) {
  for (const { n } of visible.slice(0, -1).filter((entry) => answerOf(entry) === 'good')) {
    allowed.resent -= 1
    if (allowed.resent < 0)
      verdict.doubled.push(`the batch of ${[...ids][0]} was sent again after request ${n} had a good answer`)
  }
}

function possibleOfDelete(id, { visible, hidden, last, attempts }) {
  if (last === undefined) return attempts > 0 ? ['error', 'unknown', 'not-attempted'] : ['not-attempted']
  const answer = answerOf(last)
  if (answer === 'lost') return ['unknown']
  const effect = ['deleted', 'blocked'].find((name) => last[name]?.includes(id))
  const absent = visible.length > 1 ? ['gone'] : hidden ? ['gone', 'not-found'] : ['not-found']
  const told = effect === undefined ? absent : [effect]
  return answer === 'maybe' || hidden ? [...told, 'unknown'] : told
}

/**
 * `free` and `busy`: the contacts that existed. `interruptions`: how many answers may have come to a killed process.
 * `silent`: how many batches may count as attempted without a trace: their attempts were lost with the journal's tail, or
 * another process may have made them.
 */
export function judgeDelete(receipts, entries, { free, busy, interruptions, silent = 0 }) {
  const verdict = new Verdict()
  const its = entries.filter(({ operation }) => operation === 'contacts.delete')
  const deletions = its.flatMap(({ deleted }) => deleted ?? [])
  if (new Set(deletions).size !== deletions.length) verdict.doubled.push('an id was deleted twice')
  const existing = new Set([...free, ...busy])
  const allowed = { resent: interruptions, silent }
  for (const batch of batchesOf(receipts)) {
    const attempts = attemptsOf(batch, its)
    noteResent(verdict, attempts, allowed)
    verdict.addAll(deleteClaims(batch, attempts, allowed))
    for (const { id, outcome } of batch)
      if (outcome === 'not-found' && existing.has(lower(id)))
        verdict.false.push(`${id} existed, and is claimed to be not-found`)
  }
  return verdict
}

function deleteClaims(batch, attempts, allowed) {
  const claims = new Verdict()
  for (const { id, outcome, attempts: made } of batch)
    claims.compare(id, outcome, possibleOfDelete(lower(id), { ...attempts, attempts: made }))
  if (claims.isGood || attempts.hidden || allowed.silent === 0) return claims
  allowed.silent -= 1
  return deleteClaims(batch, { ...attempts, hidden: true }, allowed)
}

/** The counts of an add: each from as many as are certain to as many as are possible. */
class Counts {
  ranges = { added: [0, 0], skipped: [0, 0], addedOrSkipped: [0, 0], failed: [0, 0] }

  add(name, least, most) {
    this.ranges[name][0] += least
    this.ranges[name][1] += most
  }

  compare(verdict, result) {
    for (const [name, [least, most]] of Object.entries(this.ranges)) {
      if (result[name] > most) verdict.false.push(`${result[name]} are claimed to be ${name}, at most ${most} were`)
      if (result[name] < least) verdict.weak.push(`only ${result[name]} are claimed to be ${name}, ${least} were`)
    }
  }
}

function countsOfAdd(counts, { last, hidden, isAgain }) {
  if (last === undefined || ['lost', 'refused'].includes(answerOf(last))) return
  const isOpen = answerOf(last) === 'maybe' || hidden
  const { added, skipped, failed } = last
  counts.add('added', isOpen ? 0 : added.length, added.length)
  counts.add('failed', isOpen ? 0 : failed.length, failed.length)
  counts.add('skipped', isAgain || isOpen ? 0 : skipped.length, isAgain ? 0 : skipped.length)
  counts.add('addedOrSkipped', isAgain && !isOpen ? skipped.length : 0, isAgain || isOpen ? skipped.length : 0)
}

function possibleOfAdd(id, { last, hidden, isolate, absent, attempts }) {
  if (last === undefined) return attempts > 0 ? ['error', 'unknown', 'not-attempted'] : ['not-attempted']
  const answer = answerOf(last)
  if (answer === 'lost') return ['unknown']
  const open = answer === 'maybe' || hidden ? ['unknown'] : []
  if (last.failed.length === 0) return ['ok', ...open]
  const isAlone = last.failed.length === reached(last).length
  const own = absent.has(id) ? 'missing' : 'ok'
  return isolate || isAlone ? [own, 'undetermined', ...open] : ['undetermined', ...open]
}

/** `absent`: ids that nobody has. */
export function judgeAdd(receipts, entries, { list, absent, isolate, interruptions, summary, silent = 0 }) {
  const verdict = new Verdict()
  const its = entries.filter((entry) => entry.operation === 'lists.add-contacts' && entry.list === list)
  const missing = new Set(absent.map(lower))
  const counts = new Counts()
  const allowed = { resent: interruptions }
  for (const batch of batchesOf(receipts)) {
    const { ids, visible } = attemptsOf(batch, its)
    // The calls that isolate, and half work, reach a part of the batch.
    const whole = visible.filter((entry) => new Set(reached(entry)).size === ids.size)
    const halves = visible.filter(({ fault }) => fault?.includes('apply-half') === true)
    const made = batch[0].attempts
    const hidden = silent > 0 || made > whole.length || halves.length > 0
    const attempts = { last: whole.at(-1), hidden, isAgain: whole.length > 1 }
    noteResent(verdict, { visible: whole, ids }, allowed)
    countsOfAdd(counts, attempts)
    for (const { id: given, outcome } of batch) {
      const id = lower(given)
      verdict.compare(id, outcome, possibleOfAdd(id, { ...attempts, isolate, absent: missing, attempts: made }))
    }
  }
  counts.compare(verdict, summary.result)
  return verdict
}

/** Who had a ticket when svc read it, from all changes that were made to it. */
class Ticket {
  sent = []
  changes = []
  /** Changes by somebody else. */
  rivals = []
  /** Good readings, with the assignee that they showed. */
  readings = []

  constructor(id, entries, { before, ownKey }) {
    let assignee = before
    for (const entry of entries.filter(({ path }) => path.toLowerCase().includes(id))) {
      const isOwn = entry.apiKey === ownKey
      if (isOwn && entry.operation === 'tickets.assign') this.sent.push({ ...entry, from: assignee })
      if (isOwn && entry.operation === 'tickets.history' && answerOf(entry) === 'good')
        this.readings.push({ n: entry.n, assignee })
      if (entry.assigned === undefined) continue
      ;(isOwn ? this.changes : this.rivals).push(entry)
      assignee = entry.assigned.to
    }
    this.isLate = entries.some(({ path, fault }) => path.toLowerCase().includes(id) && /late|before/.test(fault ?? ''))
  }

  /**
   * Sent again behind a change of somebody else, though an attempt before that may have been applied. Who gives it back to whom
   * it was taken from cannot be told from nobody.
   */
  get isOverwritten() {
    return this.sent.some((entry) => {
      const rival = this.rivals.findLast(({ n }) => n < entry.n)
      const first = this.sent.find(({ n }) => n < (rival?.n ?? 0))
      return first !== undefined && answerOf(first) !== 'refused' && rival.assigned.to !== first.from
    })
  }
}

/** `wanted`, `before`: by ticket, the employee that was asked for, and the first one. `ownKey`: of svc. */
export function judgeAssign(receipts, entries, { wanted, before, ownKey, interruptions, silent = 0 }) {
  const verdict = new Verdict()
  for (const { id, outcome, attempts } of receipts) {
    const ticket = new Ticket(id, entries, { before: before.get(id), ownKey })
    const { sent, changes, rivals } = ticket
    if (changes.length > 1 && rivals.length === 0)
      verdict.doubled.push(`the ticket ${id} was assigned ${changes.length} times`)
    if (ticket.isOverwritten) verdict.false.push(`the ticket ${id} was taken from somebody else`)
    const hidden = silent > 0 || attempts > sent.length || sent.some(isTorn)
    const possible = possibleOfAssign(ticket, { hidden, interruptions })
    // A reading says so, whatever was sent before it.
    const hadIt = [before.get(id), ...rivals.map(({ assigned }) => assigned.to)].includes(wanted.get(id))
    verdict.compare(`the ticket ${id}`, outcome, hadIt ? [...possible, 'done'] : possible)
    if (outcome === 'done' && changes.length === 0 && !hadIt)
      verdict.false.push(`the ticket ${id} is claimed to be done, but has another assignee`)
    if (['error', 'not-attempted'].includes(outcome) && changes.length > 0)
      verdict.false.push(`the ticket ${id} is claimed to be ${outcome}, but was assigned`)
  }
  return verdict
}

function possibleOfAssign({ sent, changes, rivals, readings, isLate }, { hidden, interruptions }) {
  const open = hidden ? ['unknown'] : []
  if (sent.length === 0) return ['not-attempted', 'error', 'done', ...open]
  const last = sent.at(-1)
  // What was applied late was not seen by a reading that came before.
  const isRead = readings.some(({ n }) => n > last.n) && !isLate
  if (changes.length === 0) {
    const isRefused = sent.every((entry) => answerOf(entry) === 'refused')
    return isRefused ? ['error', 'not-attempted', ...open] : ['unknown', ...(rivals.length > 0 ? ['done'] : [])]
  }
  const mayBeOpen = sent.some((entry) => ['lost', 'maybe'].includes(answerOf(entry))) || interruptions > 0 || hidden
  return (mayBeOpen && !isRead) || rivals.length > 0 ? ['done', 'unknown'] : ['done']
}

/** `pairs`: target by source. */
export function judgeMerge(receipts, entries, { pairs, interruptions, silent = 0 }) {
  const verdict = new Verdict()
  let open = interruptions
  for (const { id, outcome, attempts } of receipts) {
    const sent = entries.filter((entry) => entry.operation === 'contacts.merge' && entry.path.includes(id))
    const its = sent.filter(({ merged }) => merged !== undefined)
    // API, operation 6: not shown what a second one would do. Once anything but a refusal came, it is never sent again.
    const first = sent.findIndex((entry) => answerOf(entry) !== 'refused')
    if (first >= 0 && first !== sent.length - 1)
      verdict.doubled.push(`the merge of ${id} was sent again after a lost answer`)
    if (outcome === 'done' && !(its.length === 1 && its[0].merged.target === lower(pairs.get(id))))
      verdict.false.push(`the merge of ${id} is claimed to be done`)
    const hidden = silent > 0 || attempts > sent.length || sent.some(isTorn)
    const possible = possibleOfMerge(sent, hidden)
    const mayBeOpen = outcome === 'unknown' && sent.length > 0 && open > 0
    if (mayBeOpen && !possible.includes('unknown')) open -= 1
    verdict.compare(`the merge of ${id}`, outcome, mayBeOpen ? [...possible, 'unknown'] : possible)
  }
  return verdict
}

function possibleOfMerge(sent, hidden) {
  const open = hidden ? ['unknown'] : []
  if (sent.length === 0) return ['not-attempted', 'error', ...open]
  const refused = ['error', 'not-attempted', ...open]
  return { good: ['done', ...open], maybe: ['done', 'unknown'], refused, lost: ['unknown'] }[answerOf(sent.at(-1))]
}

/** Every input id must have exactly one outcome, and the sums must be the number of unique ids. */
export function judgeCompleteness(verdict, ids, receipts, summary) {
  const expected = new Set(ids.map(lower))
  const found = receipts.map(({ id }) => lower(id))
  const outcomes = new Set(found)
  if (found.length !== outcomes.size) verdict.doubled.push(`${found.length - outcomes.size} ids have two outcomes`)
  for (const id of expected) if (!outcomes.has(id)) verdict.lost.push(`${id} has no outcome`)
  for (const id of outcomes) if (!expected.has(id)) verdict.false.push(`${id} was not in the input`)
  const sum = Object.values(summary.result).reduce((total, count) => total + count, 0)
  if (sum !== expected.size || summary.input.unique !== expected.size) {
    verdict.lost.push(`the outcomes add up to ${sum} of ${expected.size} ids`)
  }
}

/** The numbers of the summary must be those of the receipts. */
export function judgeSummary(verdict, receipts, { result }) {
  const names = { 'not-found': 'notFound', 'not-attempted': 'notAttempted' }
  for (const outcome of ['deleted', 'gone', 'not-found', 'blocked', 'done', 'error', 'unknown', 'not-attempted']) {
    const claimed = result[names[outcome] ?? outcome]
    const count = receipts.filter((receipt) => receipt.outcome === outcome).length
    if (claimed !== undefined && claimed !== count)
      verdict.false.push(`the summary says ${claimed} ${outcome}, the receipts ${count}`)
  }
}
