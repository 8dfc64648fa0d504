/** Whether a command line is a job that `--metrics-file` tells of. */
import type { Host } from '../host.ts'
import type { CommandLine } from './command-line.ts'
import { optionsOf } from './tree.ts'

/** The file that is meant; undefined for a command that is no bulk run. A dry run and a plan do nothing that anybody watches. */
export function metricsPathOf({ commands, command, given, asksHelp }: CommandLine, { env }: Pick<Host, 'env'>) {
  const has = (key: string): boolean => command.options.some((option) => option.key === key)
  if (
    asksHelp ||
    !optionsOf(commands).some(({ key }) => key === 'metricsFile') ||
    given.has('dryRun') ||
    given.has('plan')
  )
    return undefined
  // A merge or an assign of one thing.
  if ((has('into') || has('to')) && !given.has('file')) return undefined
  const typed = given.get('metricsFile')
  return typeof typed === 'string' ? typed : env['SVC_METRICS_FILE'] || undefined
}
