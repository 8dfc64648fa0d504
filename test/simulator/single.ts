/** Commands that change or read one thing: exit 0 means that it was made, a refusal that it was not, 7 that this is unknown. */
import type { Dice } from './dice.ts'
import { parsed } from './printed.ts'
import type { SimulatedProcess } from './process.ts'
import type { Sent } from './service.ts'
import type { Stage } from './stage.ts'

const certainlyNot = [2, 3, 4, 5, 6, 9]

const codeOf = ({ end }: SimulatedProcess): number | undefined =>
  end === 'killed' ? undefined : end?.code

/** Runs a change and has its ending judged, at once and when every request has landed. `isMade`: by a request that landed. */
async function change(
  stage: Stage,
  dice: Dice,
  words: readonly string[],
  isMade: (sent: Sent) => boolean,
) {
  const process = await stage.disturbed(dice, words, { machine: dice.pick(stage.world.machines) })
  const requests = (): Sent[] => stage.world.service.log.filter((sent) => sent.process === process)
  const isThere = (): boolean => requests().some(isMade)
  const judge = (): void => {
    const code = codeOf(process)
    const story = requests().map(({ operation, told, status }) => `${operation} ${told} ${status}`)
    if (code === 0)
      stage.judge.expect(isThere(), process, `exit 0, and nothing was done: ${story.join(', ')}`)
    if (code !== undefined && certainlyNot.includes(code))
      stage.judge.expect(!isThere(), process, `exit ${code}, and it was done: ${story.join(', ')}`)
    const writes = requests().filter(
      ({ operation }) => !['tickets.history', 'lists.list'].includes(operation ?? ''),
    )
    const open = writes.findIndex(({ told }) => told === 'lost')
    const isOnce = words.includes('merge') || words.includes('create')
    stage.judge.expect(
      !isOnce || open < 0 || open === writes.length - 1,
      process,
      `sent again: ${story.join(', ')}`,
    )
  }
  judge()
  stage.last.push(judge)
}

/** Runs a read, whose output is all there is, or says that it is not. `truth`: what should be printed, if it holds still. */
async function read(
  stage: Stage,
  dice: Dice,
  words: readonly string[],
  truth: () => readonly string[],
): Promise<void> {
  const format = dice.pick(['json', 'ndjson', 'ids'])
  const before = truth()
  const process = await stage.disturbed(dice, [...words, '-o', format], {
    machine: dice.pick(stage.world.machines),
  })
  const { stdout } = process
  const code = codeOf(process)
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  if (code === 0) {
    const found = [...stdout.matchAll(format === 'ids' ? /^([0-9a-f]{24})$/gm : idsOfRows)].map(
      ([, id]) => id ?? '',
    )
    const isSame = JSON.stringify(truth()) === JSON.stringify(before)
    const isWhole = JSON.stringify([...found].sort()) === JSON.stringify([...before].sort())
    stage.judge.expect(
      !isSame || isWhole,
      process,
      `${found.length} of ${before.length} were printed`,
    )
  } else if (code === 7 || (process.signal !== undefined && stdout !== '')) {
    const isOpen = {
      json: parsed(stdout) === undefined,
      ndjson: last.startsWith('{"type":"error"'),
      ids: last.startsWith('#incomplete:'),
    }
    stage.judge.expect(
      isOpen[format as keyof typeof isOpen],
      process,
      `exit ${code}, and its ${format} looks whole: ${last}`,
    )
  }
}

const idsOfRows = /"contact":\s*\{\s*"id":\s*"([0-9a-f]{24})"/g

export const singles = {
  assignOne(stage: Stage, dice: Dice) {
    const [ticket, to] = [dice.pick(stage.stock.tickets), dice.pick(stage.stock.employees)]
    const isMade = ({ operation, told, landed }: Sent): boolean =>
      landed?.entry.assigned?.to === to ||
      (operation === 'tickets.history' && told === 'answered' && landed?.assignee === to)
    return change(stage, dice, ['tickets', 'assign', ticket, '--to', to, '--yes'], isMade)
  },
  mergeOne(stage: Stage, dice: Dice) {
    const [source = '', target = ''] = stage.stock.free.splice(0, 2)
    const words = ['contacts', 'merge', source, '--into', target, '--yes']
    return change(stage, dice, words, ({ landed }) => landed?.entry.merged?.source === source)
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
    const { company } = stage.world.service
    const truth = (): string[] => {
      const { members = new Map<number, unknown>() } = company.lists.find(list) ?? {}
      return [...members.keys()].map((position) => company.contacts.idAt(position))
    }
    return read(stage, dice, ['lists', 'members', list, '--page-size', '5'], truth)
  },
}
