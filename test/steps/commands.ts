/** Commands on runs in a world: what a person types, and how it ended. */
import { setMaxListeners } from 'node:events'
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
import type { Process, Trouble, World } from './world.ts'

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
export type Command = { receipts?: string | undefined } & (
  | { verb: 'begin'; kind: Kind; items: Item[]; target?: string; expected?: string; once?: string }
  | { verb: 'resume' | 'close' | 'remove' | 'undo'; run: string }
)

export interface Started {
  command: Command
  process: Process
  /** How it ended, if it ended by itself: with a result, an error, or as it should. */
  ended: engine.EndedRun | SvcError | 'well' | undefined
}

const profile = {
  name: 'prod',
  baseUrl: 'http://127.0.0.1',
  apiKey: 'pk_0123456789',
  protected: false,
} as Profile

/** The receipts of a run as they are written to a file. */
export const receiptsText = (receipts: Iterable<engine.Receipt>) =>
  Array.from(receipts, ({ id, outcome }) => `${id} ${outcome}\n`).join('')

/** Starts a command. It goes on while the world is played. `interruptAt`: when Ctrl-C is pressed. */
export function start(
  world: World,
  command: Command,
  trouble: Trouble = {},
  interruptAt?: number,
): Started {
  const process = world.begin(trouble)
  const started: Started = { command, process, ended: undefined }
  const tools = toolsOf(world, process, interruptAt)
  const work = async () => {
    const closing: (() => void)[] = []
    try {
      const opened = { ...tools, atClose: (task: () => void) => void closing.push(task) }
      started.ended = (await perform(await engine.openRuns(opened), command)) ?? 'well'
    } catch (error) {
      if (process.isDead) return
      if (!(error instanceof SvcError)) throw error
      started.ended = error
    }
    for (const close of closing) close()
    world.kill(process)
  }
  world.later(world.dice.below(100), process, () => void work())
  return started
}

async function perform(tools: engine.Tools, command: Command) {
  const { runs } = tools
  const { receipts: path } = command
  const bytes = (all: Iterable<engine.Receipt>) => [Buffer.from(receiptsText(all))]
  const receipts = path === undefined ? undefined : { path, bytes }
  if (command.verb === 'begin') {
    const { kind, target, expected, once } = command
    const { items } = command
    const party = (id: string | undefined) => (id === undefined ? undefined : { id })
    const [target_, expected_] = [party(target), party(expected)]
    const none = { duplicates: 0, leftOut: 0, undecided: 0 }
    const input = { read: items.length, unique: items.length, ...none }
    const operation = operations[kind]
    const job = { operation, items, target: target_, expected: expected_, input, once, receipts }
    return engine.beginRun(tools, job, once === undefined ? undefined : runs.read(once))
  }
  const record = runs.find(command.run)
  if (command.verb === 'resume') return engine.resumeRun(tools, record, { receipts })
  if (command.verb === 'undo') return engine.beginRun(tools, await engine.undoJob(tools, record))
  if (command.verb === 'close') await engine.closeRun(tools, record)
  else await engine.removeRun(tools, record)
  return undefined
}

function toolsOf(world: World, process: Process, interruptAt: number | undefined): engine.RunTools {
  const host = world.hostOf(process)
  const [cancel, abort] = [new AbortController(), new AbortController()]
  // Many requests listen to one signal.
  setMaxListeners(0, cancel.signal, abort.signal)
  const redactor = new Redactor()
  const signals: engine.RunTools['signals'] = {
    caught: undefined,
    cancelled: cancel.signal,
    shield: (work) => work(),
    protectOutput: () => undefined,
  }
  const interrupt = () => {
    const interrupted = new SvcError('interrupted', 'interrupted')
    signals.caught = 'SIGINT'
    cancel.abort(interrupted)
    world.later(10_000, process, () => abort.abort(interrupted), true)
  }
  if (interruptAt !== undefined) world.later(interruptAt, process, interrupt, true)
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
  process.atEnd = () => client.close()
  /** A person thinks for a moment, or for a while. */
  const confirm = () =>
    host.sleep(world.dice.below(world.dice.isLucky(0.1) ? 60_000 : 300), cancel.signal)
  return {
    host,
    profile: async () => profile,
    api: async () => createApi(client),
    async operation(name) {
      const found = Object.values(operations).find((each) => each.name === name)
      if (found === undefined) throw new TypeError(`no operation ${name}`)
      return found
    },
    permit: async () => undefined,
    note: () => undefined,
    questions: async () => ({ confirm }),
    signals,
    messages: { withProfile: (text) => text, redactor },
    progress: async ({ total, done, sent }) => ({
      stop() {
        if (done() <= sent() && sent() <= total) return
        throw new Error(`${done()} done and ${sent()} sent of ${total}`)
      },
    }),
  }
}
