/** Commands that change or read one thing: exit 0 means that it was made, a refusal that it was not, 7 that this is unknown. */
import { operations } from '../../src/api/operations.ts'
import type { Dice } from './dice.ts'
import { askedOutcome } from './effects.ts'
import type { Job } from './job.ts'
import { changeWhile } from './others.ts'
import { parsed } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import type { Sent } from './service.ts'
import type { Stage } from './stage.ts'
import { singleOperations, typeOne } from './typed.ts'

const certainlyNot = [2, 3, 4, 5, 6, 9]

const codeOf = ({ end }: SimulatedProcess): number | undefined =>
  end === 'killed' ? undefined : end?.code

/** Runs a change and has its ending judged, at once and when every request has landed. `isMade`: by a request that landed. */
async function change(
  stage: Stage,
  dice: Dice,
  words: readonly string[],
  isMade: (sent: Sent) => boolean,
  job?: Job,
) {
  const machine = dice.pick(stage.world.machines)
  const process = await stage.disturbed(dice, words, { machine, job })
  const requests = (): Sent[] => stage.world.service.log.filter((sent) => sent.process === process)
  const isThere = (): boolean => requests().some(isMade)
  const judge = (): void => {
    const code = codeOf(process)
    const story = requests().map(({ operation, told, status }) => `${operation} ${told} ${status}`)
    if (code === 0)
      stage.judge.expect(isThere(), process, `exit 0, and nothing was done: ${story.join(', ')}`)
    if (code !== undefined && certainlyNot.includes(code))
      stage.judge.expect(!isThere(), process, `exit ${code}, and it was done: ${story.join(', ')}`)
    // What a run sends has rules of its own.
    const once = requests().filter(
      ({ operation }) => job === undefined && operation && operations[operation].retry === 'once',
    )
    const open = once.findIndex(({ told }) => told === 'lost')
    stage.judge.expect(
      open < 0 || open === once.length - 1,
      process,
      `sent again: ${story.join(', ')}`,
    )
  }
  judge()
  stage.last.push(judge)
}

/** Runs a read of a list's members, whose output has whoever stayed, or says that it is not all there is. */
async function read(
  stage: Stage,
  dice: Dice,
  words: readonly string[],
  list: string,
): Promise<void> {
  const format = dice.pick(['json', 'ndjson', 'ids'] as const)
  const stayed = new Set(stage.membersOf(list))
  const before = [...stayed]
  const { watchers } = stage.world.service
  const leave = (): void => {
    const now = new Set(stage.membersOf(list))
    for (const id of stayed) if (!now.has(id)) stayed.delete(id)
  }
  // Whoever leaves and comes back has not stayed.
  watchers.add(leave)
  const typed = [...words, '-o', format]
  const ended = stage.disturbed(dice, typed, { machine: dice.pick(stage.world.machines) })
  const others = dice.fork()
  const reading = stage.world.processes.at(-1)
  if (others.chance(0.5)) await changeWhile(stage, others, reading, list)
  const process = await ended
  watchers.delete(leave)
  judgeRead(stage, process, format, { before, stayed: [...stayed] })
}

interface Members {
  readonly before: readonly string[]
  readonly stayed: readonly string[]
}

function judgeRead(
  { judge }: Stage,
  process: SimulatedProcess,
  format: 'json' | 'ndjson' | 'ids',
  { before, stayed }: Members,
): void {
  const { stdout } = process
  const code = codeOf(process)
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  if (code === 0) {
    const ids = [...stdout.matchAll(format === 'ids' ? idLines : idsOfRows)].map(([, id]) => id)
    const rows = new Set(ids)
    const missing = stayed.filter((id) => !rows.has(id))
    const count = `${rows.size} were printed of ${before.length}, ${stayed.length} of whom stayed`
    judge.expect(missing.length === 0, process, `${count}, and not ${missing.join()}`)
    judge.expect(rows.size === ids.length, process, `${count}, and one of them twice`)
  } else if (code === 7 || (process.signal !== undefined && stdout !== '')) {
    const isOpen = {
      json: parsed(stdout) === undefined,
      ndjson: last.startsWith('{"type":"error"'),
      ids: last.startsWith('#incomplete:'),
    }
    judge.expect(isOpen[format], process, `exit ${code}, and its ${format} looks whole: ${last}`)
  }
}

const idLines = /^([0-9a-f]{24})$/gm
const idsOfRows = /"contact":\s*\{\s*"id":\s*"([0-9a-f]{24})"/g

export const singles = {
  /** One thing, which the command line names, is changed: a run of one, with which others go on. */
  async one(stage: Stage, dice: Dice) {
    const typed = typeOne(stage, dice, dice.pick(singleOperations))
    if (typed === undefined) return
    const { ids = [], operation, wanted } = typed
    const [id = ''] = ids
    const words = [...typed.words, '--yes']
    const isMade = ({ operation: sent, told, landed }: Sent): boolean => {
      const effect = landed?.effects.get(id)
      if (sent === operation) return effect?.outcome === askedOutcome(operation)
      return told === 'answered' && effect?.before.assignee === wanted(id)
    }
    const job: Job = { ...typed, name: undefined, words }
    stage.jobs.push(job)
    await change(stage, dice, words, isMade, job)
  },
  create(stage: Stage, dice: Dice) {
    const name = `List ${dice.hex(6)}`
    const { lists } = stage.world.service.company
    const words = [
      'lists',
      'create',
      '--name',
      name,
      ...(dice.chance(0.3) ? ['--if-not-exists'] : []),
    ]
    return change(
      stage,
      dice,
      words,
      ({ landed }) => lists.find(landed?.entry.created ?? '')?.name === name,
    )
  },
  update(stage: Stage, dice: Dice) {
    const list = dice.pick(stage.stock.lists)
    const words = ['lists', 'update', list, '--name', `List ${dice.hex(6)}`]
    return change(stage, dice, words, ({ landed }) => landed?.entry.updated === list)
  },
  members(stage: Stage, dice: Dice) {
    const list = dice.pick(stage.stock.lists)
    return read(stage, dice, ['lists', 'members', list, '--page-size', '5'], list)
  },
}
