/**
 * One bulk run against a faulty sandbox, and whether what svc claims of it at the end is what the sandbox recorded. How
 * the run gets to its end (in one go, or killed and resumed) is the caller's business.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const hex = (random, digits) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')

const upperCaseSome = (random, id) => (random() < 0.1 ? id.toUpperCase() : id)

/** What a sandbox still has that episodes may use up. */
export async function stockOf(sandbox) {
  const contacts = await sandbox.read('state?kind=contacts')
  const tickets = await sandbox.read('state?kind=tickets')
  const employees = await sandbox.read('state?kind=employees')
  const able = employees.filter(({ status, channels }) => status === 'active' && channels.length === 5)
  return {
    free: contacts.filter(({ chat }) => !chat).map(({ id }) => id),
    busy: contacts.filter(({ chat }) => chat).map(({ id }) => id),
    tickets: tickets.filter(({ status, current, assigneeId }) => status === 'active' && current && assigneeId),
    employees: able.map(({ id }) => id),
    lists: (await sandbox.read('state?kind=lists')).map(({ id }) => id),
  }
}

function take(stock, count) {
  return stock.splice(0, Math.min(count, stock.length))
}

function shuffle(random, items) {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1))
    ;[items[i], items[j]] = [items[j], items[i]]
  }
  return items
}

/** The words of a command, and a function that compares its claims with the record; undefined when the stock is used up. */
export function planEpisode(kind, { random, stock, folder, size }) {
  const file = join(mkdtempSync(join(folder, 'input-')), 'input')
  const common = ['--file', file, '--yes', '--json']
  const concurrency = String(1 + Math.floor(random() * 4))
  switch (kind) {
    case 'delete': {
      if (stock.free.length < size) return undefined
      const free = take(stock.free, size)
      const busy = stock.busy.slice(0, Math.floor(random() * 20))
      const absent = Array.from({ length: Math.floor(random() * 20) }, () => hex(random, 24))
      const ids = shuffle(random, [...free, ...busy, ...absent]).map((id) => upperCaseSome(random, id))
      writeFileSync(file, [...ids, ...ids.slice(0, 5)].join('\n'))
      const batch = String(1 + Math.floor(random() * 12))
      return {
        words: ['contacts', 'delete', ...common, '--batch-size', batch, '--concurrency', concurrency],
        ids,
        judge: (outcomes, record) => judgeDelete(outcomes, record, { free, busy }),
      }
    }
    case 'add': {
      const list = stock.lists.pop()
      if (list === undefined || stock.free.length < size) return undefined
      const present = [...stock.free.slice(0, size), ...stock.busy.slice(0, 20)]
      const absent = Array.from({ length: Math.floor(random() * 5) }, () => hex(random, 24))
      const ids = shuffle(random, [...present, ...absent]).map((id) => upperCaseSome(random, id))
      writeFileSync(file, ids.join('\n'))
      const isolate = random() < 0.5 ? ['--isolate'] : []
      const batch = String(1 + Math.floor(random() * 12))
      return {
        words: [
          'lists',
          'add-contacts',
          list,
          ...common,
          ...isolate,
          '--batch-size',
          batch,
          '--concurrency',
          concurrency,
        ],
        ids,
        judge: (outcomes, record, summary) => judgeAdd(outcomes, record, summary, { list, absent }),
      }
    }
    case 'assign': {
      const tickets = shuffle(random, [...stock.tickets]).slice(0, size)
      const pairs = tickets.map(({ id }) => [id, stock.employees[Math.floor(random() * stock.employees.length)]])
      writeFileSync(file, `ticket,employee\n${pairs.map((pair) => pair.join(',')).join('\n')}\n`)
      return {
        words: ['tickets', 'assign', ...common, '--concurrency', concurrency],
        ids: pairs.map(([id]) => id),
        judge: (outcomes, record, _summary, state) => judgeAssign(outcomes, record, state, new Map(pairs)),
      }
    }
    case 'merge': {
      const count = Math.floor(size / 4)
      if (stock.free.length < count * 2) return undefined
      const contacts = take(stock.free, count * 2)
      const pairs = Array.from({ length: count }, (_, i) => [contacts[2 * i], contacts[2 * i + 1]])
      // Some chains: what was merged into goes into the next one.
      for (let i = 0; i + 1 < count; i += 5) pairs[i][1] = pairs[i + 1][0]
      writeFileSync(file, `source,target\n${pairs.map((pair) => pair.join(',')).join('\n')}\n`)
      return {
        words: ['contacts', 'merge', ...common, '--concurrency', concurrency, '--max-failures', '1000'],
        ids: pairs.map(([id]) => id),
        judge: (outcomes, record) => judgeMerge(outcomes, record, new Map(pairs)),
      }
    }
  }
}

/** Problems of three sorts: `lost` ids, `doubled` work, `false` claims. */
export class Verdict {
  lost = []
  doubled = []
  false = []

  get isGood() {
    return this.lost.length + this.doubled.length + this.false.length === 0
  }
}

const collect = (entries, part) => entries.flatMap((entry) => entry[part] ?? []).map((id) => id.toLowerCase())

function judgeDelete(outcomes, record, { free, busy }) {
  const verdict = new Verdict()
  const deletions = collect(record, 'deleted')
  const deleted = new Set(deletions)
  if (deleted.size !== deletions.length) verdict.doubled.push('an id was deleted twice')
  const existing = new Set([...free, ...busy])
  for (const [id, outcome] of outcomes) {
    const isGone = deleted.has(id) || !existing.has(id)
    const isTrue = {
      deleted: deleted.has(id),
      'not-found': !existing.has(id),
      blocked: busy.includes(id) && !deleted.has(id),
      gone: isGone,
      // Nothing is known, or nothing was done.
      unknown: true,
      error: !deleted.has(id),
      'not-attempted': !deleted.has(id),
    }[outcome]
    if (isTrue !== true) verdict.false.push(`${id} is claimed to be ${outcome}`)
  }
  return verdict
}

function judgeAdd(outcomes, record, { result }, { list, absent }) {
  const verdict = new Verdict()
  const added = new Set(
    collect(
      record.filter((entry) => entry.list === list),
      'added',
    ),
  )
  const missing = new Set(absent)
  for (const [id, outcome] of outcomes) {
    const isTrue = {
      // Somebody may have been a member before.
      ok: !missing.has(id),
      missing: missing.has(id),
      undetermined: true,
      unknown: true,
      error: !added.has(id),
      'not-attempted': !added.has(id),
    }[outcome]
    if (isTrue !== true) verdict.false.push(`${id} is claimed to be ${outcome}`)
  }
  const { added: claimed, addedOrSkipped, failed, unknown, error, notAttempted } = result
  if (claimed > added.size) verdict.false.push(`${claimed} are claimed to be added, ${added.size} were`)
  if (added.size > claimed + addedOrSkipped + unknown) {
    verdict.false.push(`${added.size} were added, which the sums leave no room for`)
  }
  // Of what was not answered nobody knows which exist.
  const isWhole = unknown + error + notAttempted === 0
  if (failed > missing.size || (isWhole && failed < missing.size)) {
    verdict.false.push(`${failed} are claimed to have failed, ${missing.size} do not exist`)
  }
  return verdict
}

function judgeAssign(outcomes, record, { assignees, before }, wanted) {
  const verdict = new Verdict()
  const changes = record.filter((entry) => entry.assigned !== undefined).map((entry) => entry.assigned)
  for (const [id, outcome] of outcomes) {
    const its = changes.filter(({ ticket }) => ticket === id)
    if (its.length > 1) verdict.doubled.push(`the ticket ${id} was assigned ${its.length} times`)
    const isTrue = {
      done: assignees.get(id) === wanted.get(id),
      unknown: true,
      error: its.length === 0 && assignees.get(id) === before.get(id),
      'not-attempted': its.length === 0,
    }[outcome]
    if (isTrue !== true) verdict.false.push(`the ticket ${id} is claimed to be ${outcome}`)
  }
  return verdict
}

function judgeMerge(outcomes, record, pairs) {
  const verdict = new Verdict()
  const merges = record.filter((entry) => entry.merged !== undefined).map((entry) => entry.merged)
  for (const [id, outcome] of outcomes) {
    const its = merges.filter(({ source }) => source === id)
    const sent = record.filter((entry) => entry.operation === 'contacts.merge' && entry.path.includes(id))
    // API, operation 6: not shown what a second one would do. Once anything but a refusal came, it is never sent again.
    const first = sent.findIndex(({ status }) => !(status >= 400 && status < 500))
    if (first >= 0 && first !== sent.length - 1)
      verdict.doubled.push(`the merge of ${id} was sent again after a lost answer`)
    const isTrue = {
      done: its.length === 1 && its[0].target === pairs.get(id),
      unknown: true,
      error: its.length === 0,
      'not-attempted': its.length === 0,
    }[outcome]
    if (isTrue !== true) verdict.false.push(`the merge of ${id} is claimed to be ${outcome}`)
  }
  return verdict
}

/** Every input id must have exactly one outcome, and the sums must be the number of unique ids. */
export function judgeCompleteness(verdict, ids, receipts, summary) {
  const expected = new Set(ids.map((id) => id.toLowerCase()))
  const found = receipts.map(({ id }) => id.toLowerCase())
  const outcomes = new Map(receipts.map(({ id, outcome }) => [id.toLowerCase(), outcome]))
  if (found.length !== outcomes.size) verdict.doubled.push(`${found.length - outcomes.size} ids have two outcomes`)
  for (const id of expected) if (!outcomes.has(id)) verdict.lost.push(`${id} has no outcome`)
  for (const id of outcomes.keys()) if (!expected.has(id)) verdict.false.push(`${id} was not in the input`)
  const sum = Object.values(summary.result).reduce((total, count) => total + count, 0)
  if (sum !== expected.size || summary.input.unique !== expected.size) {
    verdict.lost.push(`the outcomes add up to ${sum} of ${expected.size} ids`)
  }
  return outcomes
}
