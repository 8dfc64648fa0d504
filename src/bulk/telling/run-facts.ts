/** What every JSON line says of the run that it belongs to. */
import { actorWords, currentActor, jobAddress } from '../record/actor.ts'
import type { RunFile } from '../record/run.ts'
import type { BulkTools } from '../tools.ts'

/** From now on this process works on this run. */
export function tellRun({ host, messages }: BulkTools, { run, once, profile, baseUrl }: RunFile): void {
  messages.during({
    run: run === '' ? null : run,
    name: once?.name ?? null,
    profile,
    host: new URL(baseUrl).host,
    by: actorWords(currentActor(host)),
    job: jobAddress(host),
  })
}
