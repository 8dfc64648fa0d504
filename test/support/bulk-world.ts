import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { summaryOf } from '../../src/runs/words.ts'
import { createSandboxWorld, type Options, type Result } from './svc.ts'
import { idOf } from './inputs.ts'
import type { SandboxOptions } from './watched-sandbox.ts'

interface BulkRun extends Result {
  summary: Omit<ReturnType<typeof summaryOf>, 'resume'> & { resume: string | null }
}

/** A promise of every summary: the outcomes add up to the unique ids. */
function checked(result: Result, text: string): BulkRun {
  const summary = JSON.parse(text) as BulkRun['summary']
  const sum = Object.values(summary.outcomes).reduce<number>((total, count) => total + count, 0)
  if (sum !== summary.input.unique)
    throw new Error(`${sum} outcomes for ${summary.input.unique} ids: ${text}`)
  if (summary.exitCode !== result.code) throw new Error(`exit ${result.code}, but: ${text}`)
  return { ...result, summary }
}

export async function createBulkWorld(options?: SandboxOptions) {
  const world = await createSandboxWorld(options)
  const { contacts, chats, employees } = world.sandbox.company
  const free = [...contacts.keys()].filter((id) => !chats.has(id))
  let [files, unknown, used, outputs] = [0, 0, 0, 0]
  /** An empty state folder, as the variable that names it, before the words of a command. */
  const state = (): string => {
    mkdirSync(join(world.folder, 'states'), { recursive: true })
    return `SVC_STATE_DIR=${mkdtempSync(join(world.folder, 'states', 's-'))}`
  }
  /** Runs with --json, and a state folder of its own unless the words name one. */
  const bulk = async (line: string, more: Options = {}): Promise<BulkRun> => {
    const words = line.includes('SVC_STATE_DIR=') ? line : `${state()} ${line}`
    const result = await world.svc(`${words} --json`, { fast: true, ...more })
    if (result.stdout === '') throw new Error(`no summary: exit ${result.code}\n${result.stderr}`)
    return checked(result, result.stdout)
  }
  return {
    ...world,
    /** Contacts without chats, and ids that nobody has. */
    free,
    absent: (count: number): string[] => Array.from({ length: count }, () => idOf((unknown += 1))),
    /** Contacts without chats that were not asked for before. */
    fresh: (count: number): string[] => free.slice(used, (used += count)),
    output: (ending = 'csv'): string => join(world.folder, `out-${(outputs += 1)}.${ending}`),
    file(name: string, lines: readonly string[]): string {
      files += 1
      const path = join(world.folder, `${files}-${name}`)
      writeFileSync(path, lines.map((one) => `${one}\n`).join(''))
      return path
    },
    state,
    recordIn: (folder: string) => `${folder.replace('SVC_STATE_DIR=', '')}/runs.db`,
    bulk,
    /** A run under faults, one request after the other; `state`: a variable for others. */
    async begun(faults: string, line: string, more?: Options) {
      const folder = state()
      const ended = await bulk(`${folder} ${line} --concurrency 1`, { ...more, faults })
      return { ...ended, state: folder, run: ended.summary.run ?? '' }
    },
    /** What a command says that changes nothing; a mistake prints nothing. */
    async unsent(line: string, code: number, given?: Options): Promise<string> {
      const before = world.sandbox.requests.length
      const ended = await world.svc(line, given)
      const requests = world.sandbox.requests.slice(before)
      const sent = requests.filter(({ method }) => method !== 'GET').length
      const printed = code === 2 && !/\bdoctor\b/.test(line) ? ended.stdout : ''
      expect([line, ended.code, sent, printed]).toEqual([line, code, 0, ''])
      return ended.stderr
    },
    /** An employee who can take a ticket, neither has it nor is `besides`. */
    taker: (ticket: string, besides?: string): string => {
      const others = [world.sandbox.assigneeOf(ticket), besides]
      const able = employees.filter(
        ({ status, channels }) => status === 'active' && channels.length === 5,
      )
      return able.find(({ id }) => !others.includes(id))?.id ?? ''
    },
    /** How some work ended, and the number of requests meanwhile, of one method or all. */
    async since<T>(work: () => Promise<T>, method?: string) {
      const before = world.sandbox.requests.length
      const ended = await work()
      const requests = world.sandbox.requests.slice(before)
      const sent = requests.filter((each) => method === undefined || each.method === method)
      return { ended, sent: sent.length }
    },
  }
}
