/**
 * One bulk run against a sandbox, and whether what svc claims of it at the end is what the sandbox recorded. How the run
 * gets to its end (in one go, killed and resumed, after a power loss) is the caller's business.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeAdd, judgeAssign, judgeCompleteness, judgeDelete, judgeMerge, judgeSummary } from './judge.mjs'
import { startDistortingSandbox } from './sandbox.mjs'

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

export async function assigneesOf(sandbox) {
  return new Map((await sandbox.read('state?kind=tickets')).map(({ id, assigneeId }) => [id, assigneeId]))
}

export function shuffle(random, items) {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1))
    ;[items[i], items[j]] = [items[j], items[i]]
  }
  return items
}

const planners = {
  delete({ random, stock, write, size, batch }) {
    if (stock.free.length < size) return undefined
    const free = stock.free.splice(0, size)
    const busy = stock.busy.slice(0, Math.floor(random() * 0.15 * size))
    const absent = Array.from({ length: Math.floor(random() * 0.15 * size) }, () => hex(random, 24))
    const ids = shuffle(random, [...free, ...busy, ...absent]).map((id) => upperCaseSome(random, id))
    const file = write([...ids, ...ids.slice(0, 5)])
    return {
      words: ['contacts', 'delete', '--file', file, `batches-of=${batch}`],
      ids,
      judge: ({ receipts, entries, ...facts }) => judgeDelete(receipts, entries, { ...facts, free, busy }),
    }
  },
  add({ random, stock, write, size, batch }) {
    if (stock.lists.length === 0 || stock.free.length < size) return undefined
    const list = stock.lists.pop()
    const present = [...stock.free.slice(0, size), ...stock.busy.slice(0, 20)]
    const absent = Array.from({ length: Math.floor(random() * 5) }, () => hex(random, 24))
    const ids = shuffle(random, [...present, ...absent]).map((id) => upperCaseSome(random, id))
    const file = write(ids)
    const isolate = random() < 0.5
    const words = ['lists', 'add-contacts', list, '--file', file, `batches-of=${batch}`]
    return {
      words: isolate ? [...words, '--isolate'] : words,
      ids,
      judge: ({ receipts, entries, ...facts }) => judgeAdd(receipts, entries, { ...facts, list, absent, isolate }),
    }
  },
  assign({ random, stock, write, size }) {
    const tickets = shuffle(random, [...stock.tickets]).slice(0, size)
    const pairs = tickets.map(({ id }) => [id, stock.employees[Math.floor(random() * stock.employees.length)]])
    const file = write(['ticket,employee', ...pairs.map((pair) => pair.join(','))])
    const wanted = new Map(pairs)
    return {
      words: ['tickets', 'assign', '--file', file],
      ids: pairs.map(([id]) => id),
      employees: stock.employees,
      judge: ({ receipts, entries, ...facts }) => judgeAssign(receipts, entries, { ...facts, wanted }),
    }
  },
  merge({ stock, write, size }) {
    const count = Math.floor(size / 4)
    if (stock.free.length < count * 2) return undefined
    const contacts = stock.free.splice(0, count * 2)
    const pairs = Array.from({ length: count }, (_, i) => [contacts[2 * i], contacts[2 * i + 1]])
    // Some chains: what was merged into goes into the next one.
    for (let i = 0; i + 1 < count; i += 5) pairs[i][1] = pairs[i + 1][0]
    const file = write(['source,target', ...pairs.map((pair) => pair.join(','))])
    return {
      words: ['contacts', 'merge', '--file', file, '--max-failures', '1000'],
      ids: pairs.map(([id]) => id),
      merges: pairs,
      judge: ({ receipts, entries, ...facts }) => judgeMerge(receipts, entries, { ...facts, pairs: new Map(pairs) }),
    }
  },
}

/**
 * The words of a command, and a function that compares its claims with the record; undefined when the stock is used up.
 * `size`: about how many ids. `judge` wants the receipts, the summary, the recorded entries, the assignees before, the key
 * that svc has, and how many answers may have come to a process that was being killed.
 */
export function planEpisode(kind, { random, stock, folder, size, batch = 1 + Math.floor(random() * 12) }) {
  const concurrency = 1 + Math.floor(random() * 4)
  const file = join(mkdtempSync(join(folder, 'input-')), 'input')
  const write = (lines) => {
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }
  const plan = planners[kind]({ random, stock, write, size, batch })
  if (plan === undefined) return undefined
  return {
    ...plan,
    kind,
    concurrency,
    words: [...plan.words, '--yes', '--concurrency', String(concurrency)],
    judge(facts) {
      const verdict = plan.judge(facts)
      judgeCompleteness(verdict, plan.ids, facts.receipts, facts.summary)
      judgeSummary(verdict, facts.receipts, facts.summary)
      return verdict
    },
  }
}

/**
 * Whether resuming no longer resolves anything. After three lost attempts an assign is only read, and its old assignee may
 * stay; a merge whose answer was lost is never sent again; an answer that made no sense is only retried.
 */
export function isSettled({ kind }, { resume, result: { unknown, error, notAttempted } }) {
  const isSpent = (kind === 'assign' || kind === 'merge') && unknown > 0 && error + notAttempted === 0
  return resume === null || resume.startsWith('svc runs retry') || isSpent
}

/** Sandboxes, each as long as its stock lasts. `faults` makes those that a new one has; `contacts`: how many it has. */
export class Supply {
  #options
  #started = 0
  sandbox
  stock
  /** Those that it began with. */
  contacts

  constructor(options) {
    this.#options = options
  }

  async plan(kind) {
    const plan = this.stock === undefined ? undefined : planEpisode(kind, { ...this.#options, stock: this.stock })
    if (plan !== undefined) return plan
    await this.renew()
    return planEpisode(kind, { ...this.#options, stock: this.stock })
  }

  async renew() {
    const { seed, faults, contacts = 3000 } = this.#options
    await this.stop()
    this.#started += 1
    const numbers = ['--contacts', String(contacts), '--seed', String((seed % 100_000) + this.#started)]
    this.sandbox = await startDistortingSandbox(numbers)
    this.stock = await stockOf(this.sandbox)
    this.contacts = { free: [...this.stock.free], busy: [...this.stock.busy] }
    if (faults !== undefined) await this.sandbox.setFaults(faults())
  }

  async stop() {
    await this.sandbox?.stop()
  }
}
