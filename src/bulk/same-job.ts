/** Whether a repeated command is the job of its name, for `session.ts`. */
import { keyEnding, type Profile } from '../config/profile.ts'
import { SvcError } from '../errors.ts'
import { say, svc } from '../message.ts'
import type { Job } from './job.ts'
import { labelOf } from './operations/operation.ts'
import { slotsOfOperation } from './operations/operations.ts'
import { keyFingerprint, type Header } from './record/header.ts'

/** A fact of a run, and of a repetition of its command. Undefined for what was not typed. */
interface Compared {
  readonly what: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Throws exit 2 when a used name would be used for something else, saying what differs; nothing was sent. */
export function checkSameJob(
  {
    name,
    header,
    keys,
  }: { readonly name: string; readonly header: Header; readonly keys: ReadonlySet<string> },
  job: Job,
  profile: Profile,
): void {
  const differing = comparedOf(header, job, profile)
    .filter(({ before, after }) => before !== after)
    .map(
      ({ what, before, after }) =>
        `${what}: ${before ?? 'none'} then, ${after ?? 'none'} now`,
    )
  if (!keys.has(keyFingerprint(profile.apiKey)) && job.options.newKey !== true) {
    const ending = keyEnding(profile.apiKey)
    const other = ending === header.key.ending ? 'another one with the same ending' : ending
    differing.push(`the key: ${header.key.ending} then, ${other} now`)
  }
  if (job.undoes !== undefined) {
    if (header.undoes?.header !== job.undoes.header) {
      differing.push('the run to undo: another one has this name now')
    }
  } else if (header.job?.set !== job.set())
    differing.push('the ids: they are a different set')
  if (differing.length === 0) return
  throw new SvcError(
    'usage',
    `the name "${name}" belongs to a run that was a different job; nothing was sent`,
    {
      lines: differing,
      hint: say`use another name for another job; to resume that run:\n  ${svc`runs resume ${name}`}`,
    },
  )
}

/** Slots of both operations are compared, so that a name which is used for another operation says all that differs. */
function comparedOf(header: Header, job: Job, profile: Profile): readonly Compared[] {
  const slots = [header.operation, job.operation].flatMap(slotsOfOperation)
  const byKey = new Map(slots.map((slot) => [slot.key, slot]))
  return [
    { what: 'the operation', before: header.operation, after: job.operation },
    { what: 'the base URL', before: header.baseUrl, after: profile.baseUrl },
    ...Array.from(byKey.values(), (slot): Compared => {
      const absent = slot.kind === 'flag' ? 'no' : undefined
      const before = header.job?.typed[slot.key] ?? absent
      return { what: labelOf(slot), before, after: job.typed[slot.key] ?? absent }
    }),
  ]
}
