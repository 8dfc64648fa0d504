/** Commands that change one thing: exit 0 means that it was made, a refusal that it was not, 7 that this is unknown. */
import { operations } from '../../src/api/operations.ts'
import type { Dice } from './dice.ts'
import { askedOutcome } from './effects.ts'
import { takesOver } from './facts.ts'
import type { Job } from './job.ts'
import type { Sent } from './service.ts'
import type { Stage } from './stage.ts'
import { singleOperations, typeOne } from './typed.ts'

/** Exit codes of refusals; any other is 6. */
const codes = new Map([
  [401, 4],
  [403, 5],
  [429, 7],
])
const certainlyNot = [2, 3, 4, 5, 6, 9]

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
  const claim = stage.judge.claimOf(process)
  const requests = (): Sent[] => stage.world.service.log.filter((sent) => sent.process === process)
  const isThere = (): boolean => requests().some(isMade)
  /** A reading behind a refusal shows the work of somebody else. */
  const isThereBefore = (): boolean => {
    const all = requests()
    const last = all.findLastIndex(({ operation }) => operation === job?.operation)
    return all.slice(0, last < 0 ? undefined : last + 1).some(isMade)
  }
  const judge = (): void => {
    const { code } = process
    const story = requests().map(({ operation, told, status }) => `${operation} ${told} ${status}`)
    if (code === 0) claim(isThere(), `exit 0, and nothing was done: ${story.join(', ')}`)
    if (code !== undefined && certainlyNot.includes(code))
      claim(!isThereBefore(), `exit ${code}, and it was done: ${story.join(', ')}`)
    const sent = stage.world.service.log.filter((each) => each.process.job === job)
    const writes = sent.filter(({ operation }) => operation === job?.operation)
    const { status = 0, process: last } = writes.at(-1) ?? {}
    const isRefused = writes.every(({ told }) => told === 'refused') && last === process
    if (job !== undefined && isRefused && !process.isDisturbed && !takesOver(process)) {
      const expected = codes.get(status) ?? 6
      const isNamed = code === expected && process.stderr.includes(`HTTP ${status}`)
      claim(isNamed, `exit ${code} after a ${status}, not ${expected}`)
    }
    // The requests of a run have their own rules.
    const once = requests().filter(
      ({ operation }) => job === undefined && operation && operations[operation].retry === 'once',
    )
    const open = once.findIndex(({ told }) => told === 'lost')
    claim(open < 0 || open === once.length - 1, `sent again: ${story.join(', ')}`)
  }
  judge()
  stage.last.push(judge)
}

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
    const job = stage.jobLike({ ...typed, name: undefined, words })
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
      ({ landed }) => lists.get(landed?.entry.created ?? '')?.name === name,
    )
  },
  update(stage: Stage, dice: Dice) {
    const list = dice.pick(stage.stock.lists)
    const words = ['lists', 'update', list, '--name', `List ${dice.hex(6)}`]
    return change(stage, dice, words, ({ landed }) => landed?.entry.updated === list)
  },
}
