/** A recorded run as `show` and `export` read it: no lock is taken, nothing is cut and nothing is written. */
import type { Command } from '@commander-js/extra-typings'
import type { RunReference } from '../../bulk/find-run.ts'
import type { RecordedRun } from '../../bulk/recorded.ts'
import type { Tools } from '../../cli/verb.ts'

export function lastOption(command: Command) {
  return command.option('--last', "the newest run of this profile's service")
}

/** Throws exit 2 when there is no such run, exit 10 when it cannot be read. */
export async function readRun(tools: Tools, reference: RunReference): Promise<RecordedRun> {
  const [{ findRun }, { readRecorded }] = await Promise.all([
    import('../../bulk/find-run.ts'),
    import('../../bulk/recorded.ts'),
  ])
  const { stateDir } = await tools.configuration()
  return readRecorded(stateDir.value, await findRun(tools, reference))
}
