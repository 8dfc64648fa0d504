/** Commands on runs in a world: what a person types, and how it ended. */
import { createApi } from '../../src/api/api.ts'
import { operation as deleteContacts } from '../../src/commands/contacts/delete.ts'
import { operation as mergeContacts } from '../../src/commands/contacts/merge.ts'
import { operation as addContacts } from '../../src/commands/lists/add-contacts.ts'
import { operation as assignTickets } from '../../src/commands/tickets/assign.ts'
import type { Profile } from '../../src/config/profile.ts'
import { SvcError } from '../../src/errors.ts'
import { Client } from '../../src/http/client.ts'
import type { Item } from '../../src/input/ids.ts'
import * as engine from '../../src/runs/engine.ts'
import { Redactor } from '../../src/safe-text.ts'
import type { Service } from './service.ts'
import { Killed, type Process, type Trouble, type World } from './world.ts'

export const operations = {
  delete: deleteContacts,
  add: addContacts,
  merge: mergeContacts,
  assign: assignTickets,
} as unknown as Readonly<Record<Kind, engine.Operation>>
export type Kind = 'delete' | 'add' | 'merge' | 'assign'
// Requests of few ids, so that a run has several.
operations.delete.most = 2
operations.add.most = 4

/** What is typed. A run is a `--once` name or an id. */
export type Command =
  | { verb: 'begin'; kind: Kind; items: Item[]; target?: string; expected?: string; once?: string }
  | { verb: 'resume' | 'close' | 'remove' | 'undo'; run: string }

export interface Started {
  command: Command
  process: Process
  /** The run that it worked on, by its id where the record showed it: another one can have the same name later. */
  run: string | undefined
  receipts: string | undefined
  ended: engine.EndedRun | undefined
  error: SvcError | undefined
  /** Set if it ended by itself. */
  isOver: boolean
}

export const profile = {
  name: 'prod',
  baseUrl: 'http://127.0.0.1',
  apiKey: 'pk_0123456789',
  protected: false,
} as Profile

/** The receipts of a run as they are written to a file. */
export const receiptsText = (receipts: Iterable<engine.Receipt>) =>
  Array.from(receipts, ({ id, outcome }) => `${id} ${outcome}\n`).join('')

/** Starts a command. It goes on while the world is played. */
export function start(
  world: World,
  service: Service,
  command: Command,
  {
    trouble = {},
    receipts,
    interruptAfter,
  }: {
    trouble?: Trouble
    receipts?: string | undefined
    interruptAfter?: number | undefined
  } = {},
): Started {
  const process = world.begin(trouble)
  const started: Started = {
    command,
    process,
    run: undefined,
    receipts,
    ended: undefined,
    error: undefined,
    isOver: false,
  }
  const closing: (() => void)[] = []
  const tools = toolsOf(world, service, started, interruptAfter)
  const file = receipts && {
    path: receipts,
    bytes: (all: Iterable<engine.Receipt>) => [Buffer.from(receiptsText(all))],
  }
  const act = async () => {
    const open = { ...tools, atClose: (task: () => void) => void closing.push(task) }
    started.ended = await perform(await engine.openRuns(open), command, file || undefined)
  }
  const work = async () => {
    try {
      await act()
    } catch (error) {
      if (error instanceof SvcError) started.error = error
      else if (!(error instanceof Killed)) throw error
    }
    if (process.isDead) return
    for (const close of closing) close()
    started.isOver = true
    world.kill(process)
  }
  world.later(world.dice.below(100), process, () => void work())
  return started
}

async function perform(
  tools: engine.Tools,
  command: Command,
  receipts: engine.ReceiptsFile | undefined,
): Promise<engine.EndedRun | undefined> {
  const { runs } = tools
  if (command.verb === 'begin') {
    const { kind, items, target, expected, once } = command
    const size = items.length
    const none = { duplicates: 0, leftOut: 0, undecided: 0 }
    const job: engine.Job = {
      operation: operations[kind],
      items,
      target: target === undefined ? undefined : { id: target },
      expected: expected === undefined ? undefined : { id: expected },
      input: { read: size, unique: size, ...none },
      once,
      receipts,
    }
    return engine.beginRun(tools, job, once === undefined ? undefined : runs.read(once))
  }
  const record = runs.find(command.run)
  if (command.verb === 'resume') return engine.resumeRun(tools, record, { receipts })
  if (command.verb === 'undo') return engine.beginRun(tools, await engine.undoJob(tools, record))
  if (command.verb === 'close') await engine.closeRun(tools, record)
  else await engine.removeRun(tools, record)
  return undefined
}

function toolsOf(
  world: World,
  service: Service,
  started: Started,
  interruptAfter: number | undefined,
): engine.RunTools {
  const { process } = started
  const host = world.hostOf(process, service)
  const [cancel, abort] = [new AbortController(), new AbortController()]
  const redactor = new Redactor()
  const signals: engine.RunTools['signals'] = {
    caught: undefined,
    cancelled: cancel.signal,
    shield: (work) => work(),
    protectOutput: () => undefined,
  }
  const interrupted = new SvcError('interrupted', 'interrupted')
  if (interruptAfter !== undefined)
    world.later(
      interruptAfter,
      process,
      () => {
        signals.caught = 'SIGINT'
        cancel.abort(interrupted)
        world.later(10_000, process, () => abort.abort(interrupted), true)
      },
      true,
    )
  const client = new Client({
    profile,
    secret: 'a-secret-of-this-test',
    host,
    timeout: 20_000,
    wait: 60_000,
    messages: { note: () => undefined, log: () => undefined, redactor },
    signals: { cancelled: cancel.signal, aborted: abort.signal },
    beforeChange: () => undefined,
  })
  return {
    host,
    profile: async () => profile,
    api: async () => createApi(client),
    operation: async (name) => operationOf(name),
    permit: async () => undefined,
    note(text) {
      const [, run] = /^run (\S+?):? /.exec(text) ?? []
      if (run !== undefined) started.run = service.idOfRun(run) ?? run
    },
    questions: async () => ({
      confirm: () =>
        host.sleep(world.dice.below(world.dice.isLucky(0.1) ? 60_000 : 300), cancel.signal),
    }),
    signals,
    messages: { withProfile: (text) => text, redactor },
    progress: async () => ({ stop: () => undefined }),
  }
}

function operationOf(name: string): engine.Operation {
  const found = Object.values(operations).find((each) => each.name === name)
  if (found === undefined) throw new TypeError(`no operation ${name}`)
  return found
}
