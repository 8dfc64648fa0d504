/** The head of a run or plan, made from a job: everything that is needed to send it without its command line. */
import { keyEnding, type Profile } from '../../config/profile.ts'
import type { Host } from '../../host.ts'
import { version } from '../../version.ts'
import { sha256 } from '../items.ts'
import type { Actor, JobHead, LineOf, NewLine, NewLineOf } from '../lines.ts'
import { acceptedBy } from '../outcomes.ts'
import type { ResolvedJob } from './job.ts'

/** The facts that make two jobs the same. */
export type JobFacts = Pick<LineOf<'run'>, 'operation' | 'baseUrl' | 'parameters' | 'set'>

/** The first sixteen digits of the SHA-256 of an API key, to distinguish keys without storing them. */
export const keyFingerprint = (apiKey: string): string => sha256([apiKey]).slice(0, 16)

/** The person who begins something, as the system names them. A container's user may have no name. */
export function currentActor({
  userId,
  computer,
}: Pick<Host, 'userId' | 'computer'>): Actor {
  return {
    user: computer.userName ?? `uid ${userId ?? 'unknown'}`,
    host: computer.hostname,
  }
}

/** A job that can be asked about and recorded. */
export interface ReadyJob extends ResolvedJob {
  head: JobHead
  profile: Profile
}

/** The members that the head of a run and that of a plan have in common. */
export function jobHeadOf(host: Host, job: ResolvedJob, profile: Profile): JobHead {
  const { operation, parameters, items, state, input, options, source } = job
  return {
    operation,
    parameters,
    baseUrl: profile.baseUrl,
    profile: profile.name ?? null,
    keyEnding: keyEnding(profile.apiKey),
    accept: [...acceptedBy(options.accept)],
    input,
    kind: items.kind,
    set: items.setSha256(),
    batches: state.batches.total,
    ...(source !== undefined && { source }),
    by: currentActor(host),
    ...(options.reason !== undefined && { reason: options.reason }),
  }
}

/** The lines of the head of a run. `startedAt`: milliseconds since 1970. */
export function* headLines(job: ReadyJob, startedAt: number): Generator<NewLine> {
  const { undoes, plan, name = null, items, state, head, profile } = job
  const run: NewLineOf<'run'> = {
    t: 'run',
    schema: 'svc.run/6',
    name,
    startedAt: new Date(startedAt).toISOString(),
    key: keyFingerprint(profile.apiKey),
    version,
    ...(undoes !== undefined && { undoes }),
    ...(plan !== undefined && { plan }),
    ...head,
  }
  yield run
  yield* items.lines(state.batches)
}
