/** A job that is done once: what a repetition of the command must have in common with the run that its name has. */
import { usageError } from '../../errors.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import { keyFingerprint, type JobFacts, type RunFile } from '../record/run.ts'
import type { JobStart } from './start.ts'

/** Facts of a command line that its run remembers. Undefined without `--once`. */
export function jobFacts({ job: { options, setSha256 }, target: { typed = {} } }: JobStart): JobFacts | undefined {
  return options.once === undefined ? undefined : { name: options.once, set: setSha256(), typed: { ...typed } }
}

/** Throws exit 2 when a used name would be used for something else, saying what differs; nothing was sent. */
export function checkSameJob(run: RunFile, keys: ReadonlySet<string>, start: JobStart, profile: Profile): void {
  const { job } = start
  const now = jobFacts(start)
  const { once, options } = run
  if (now === undefined || once === undefined) return
  const { shard } = job.options
  const compared: readonly (readonly [what: string, then: string | undefined, now: string | undefined])[] = [
    ['the operation', run.operation, job.operation],
    ['the base URL', run.baseUrl, profile.baseUrl],
    ['the list', once.typed.list, now.typed.list],
    ['--to', once.typed.to, now.typed.to],
    ['--if-assignee', once.typed.ifAssignee, now.typed.ifAssignee],
    ['--isolate', yesNo(options.isolate), yesNo(job.options.isolate)],
    ['--shard', options.shard, shard === undefined ? undefined : `${shard.index}/${shard.count}`],
  ]
  const differing = compared
    .filter(([, before, after]) => before !== after)
    .map(([what, before, after]) => `  ${what}: ${before ?? 'none'} then, ${after ?? 'none'} now`)
  if (!keys.has(keyFingerprint(profile.apiKey)) && job.options.newKey !== true) {
    const ending = keyEnding(profile.apiKey)
    const other = ending === run.key.ending ? 'another one with the same ending' : ending
    differing.push(`  the key: ${run.key.ending} then, ${other} now`)
  }
  if (once.set !== now.set) differing.push('  the ids: they are a different set')
  if (differing.length === 0) return
  throw usageError(
    `the name "${once.name}" belongs to run ${run.run}, which was a different job; nothing was sent\n${differing.join('\n')}`,
    `use another name for another job; to resume that run:\n  svc runs resume ${once.name}`,
  )
}

function yesNo(value: boolean | undefined): string {
  return value === true ? 'yes' : 'no'
}
