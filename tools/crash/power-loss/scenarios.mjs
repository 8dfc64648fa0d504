/**
 * The runs whose writes and syncs are recorded. `sessions`: command lines one after another, some of them killed once that many
 * requests have left, with a power loss between two of them; `RUN` stands for the run. `repeat`: what a person, or a scheduler,
 * types after the power loss, unless it is to resume.
 */
import { planEpisode } from '../../harness/episode.mjs'

const killed = (words, afterRequests) => ({ words, afterRequests })
const whole = (words) => ({ words })
/** A session that is killed, again and again, until the power loss that follows can damage the journal. */
const powerLoss = (words, afterRequests) => ({ powerLoss: killed(words, afterRequests) })

/** Lost requests, lost answers, refusals for pace: few, at fixed places. */
const faults = {
  delete:
    'latency=2ms, contacts.delete:3=drop-after-apply, contacts.delete:5=drop-before, contacts.delete:7=429(retry-after=0)',
  add: 'latency=2ms, lists.add-contacts:2=drop-after-apply, lists.add-contacts:4=drop-before',
  assign: 'latency=2ms, tickets.assign:2=drop-after-apply, tickets.assign:5=drop-before',
  merge: 'latency=2ms, contacts.merge:3=drop-after-apply, contacts.merge:6=429(retry-after=0)',
}

const resume = ['runs', 'resume', 'RUN', '--yes', '--json']

/** By name: what is run, from the words of a plan and a path in a folder for receipts. */
const scenarios = {
  delete: {
    kind: 'delete',
    batches: 24,
    sessions: (words, out) => [whole([...words, '--json', '--receipts', `${out}/receipts.csv`])],
  },
  add: {
    kind: 'add',
    batches: 10,
    sessions: (words, out) => [whole([...words, '--json', '--receipts', `${out}/receipts.ndjson`])],
  },
  assign: { kind: 'assign', batches: 1, sessions: (words) => [whole([...words, '-o', 'ndjson'])] },
  merge: { kind: 'merge', batches: 1, sessions: (words) => [whole([...words, '-o', 'ndjson'])] },
  resumed: {
    kind: 'delete',
    batches: 12,
    sessions: (words, out) => [
      killed([...words, '--json'], 4),
      killed(resume, 2),
      whole([...resume, '--receipts', `${out}/receipts.csv`]),
    ],
  },
  twice: {
    kind: 'delete',
    batches: 24,
    sessions: (words) => [killed([...words, '--json'], 6), powerLoss(resume, 2), whole(resume)],
  },
  once: {
    kind: 'delete',
    batches: 12,
    sessions(words, out) {
      const once = [...words, '--once', 'nightly', '--json', '--receipts', `${out}/receipts.csv`]
      return [killed(once, 5), whole(once), whole(once)]
    },
    repeat: ([{ words }]) => words,
  },
}

export const scenarioNames = Object.keys(scenarios)

/** A scenario with its ids and words, or undefined when the sandbox has not enough for it. */
export function planScenario(name, { random, stock, folder, out, scale }) {
  const { kind, batches, sessions, repeat = () => resume } = scenarios[name]
  const batch = Math.max(2, Math.round(100 * scale))
  const size =
    kind === 'assign' || kind === 'merge'
      ? Math.round(60 * scale) + 12
      : Math.max(12, Math.round(batch * batches * 0.7))
  const plan = planEpisode(kind, { random, stock, folder, size, batch })
  const concurrent = plan.words.with(plan.words.indexOf('--concurrency') + 1, kind === 'merge' ? '3' : '5')
  const words = [...concurrent, '--max-retry-wait', '20ms']
  const all = sessions(words, out)
  return { name, ...plan, concurrency: 5, faults: faults[kind], sessions: all, repeat: repeat(all) }
}
