/** How far a bulk run is, on stderr. `context.ts` makes it for a session, which tells it each answer. */
import type { BulkTools } from '../bulk/tools.ts'
import type { GlobalOptions } from './global-options.ts'
import {
  createProgress,
  type Progress,
  type ProgressLine,
  type ProgressOptions,
} from '../output/progress.ts'
import { progressMode } from './print-options.ts'

interface Watched extends Pick<BulkTools, 'host' | 'messages' | 'print' | 'configuration' | 'api'> {
  readonly options: GlobalOptions
  readonly endCounter: () => void
}

export async function showProgress(
  context: Watched,
  of: Pick<ProgressOptions, 'label' | 'total' | 'state'>,
): Promise<Progress> {
  const { host, messages, options, print } = context
  const mode = progressMode((await context.configuration()).settings, options, host)
  const take = (facts: ProgressLine): void => messages.progress(facts)
  const how = { ...of, stderr: host.stderr, host, color: print.color, take }
  // Among messages in JSON a line now and then is JSON too.
  const progress = await createProgress(
    mode === 'plain' && messages.format === 'json' ? 'json-lines' : mode,
    how,
  )
  if (mode === 'none') return progress
  // The bar says how far it is; a counter would be drawn on the same line.
  await context.api()
  context.endCounter()
  messages.through((line) => progress.log(line))
  return {
    ...progress,
    stop() {
      progress.stop()
      messages.through(undefined)
    },
  }
}
