/** How far a bulk run is, on stderr. `context.ts` makes it for a session, which tells it each answer. */
import type { BulkTools } from '../bulk/tools.ts'
import type { GlobalOptions } from './global-options.ts'
import { createProgress, type Progress, type ProgressOptions } from '../output/progress.ts'
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
  if (mode !== 'none') {
    // The bar says how far it is; a counter would be drawn on the same line.
    await context.api()
    context.endCounter()
  }
  // Among messages in JSON a line now and then is JSON too.
  const form = mode === 'plain' && messages.format === 'json' ? 'json-lines' : mode
  return createProgress(form, {
    ...of,
    host,
    color: print.color,
    take: (line) => messages.progress(line),
    through: (write) => messages.through(write),
  })
}
