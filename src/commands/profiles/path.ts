import { record, type View } from '../../output/result.ts'
import { stateDir } from '../../config/paths.ts'
import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'

interface Where {
  readonly path: string
  readonly exists: boolean
  /** Why this file, in words. */
  readonly source: string
  /** Where the journals of bulk runs go; null when no folder is known. */
  readonly stateDir: string | null
}

const whereView: View<Where> = {
  columns: [
    { title: 'FILE', field: 'path' },
    { title: 'EXISTS', field: 'exists', kind: 'state' },
    { title: 'FROM', field: 'source' },
    { title: 'STATE', field: 'stateDir' },
  ],
  fields: ['path', 'exists', 'source', 'stateDir'],
  id: ({ path }) => path,
  defaultFormat: 'ids',
}

export const path: Verb = (profiles, run) =>
  profiles
    .command('path')
    .summary('print where the configuration file is, or would be')
    .addHelpText(
      'after',
      examples('svc profiles path', 'svc profiles path -o table', '"$EDITOR" "$(svc profiles path)"'),
    )
    .action(
      run(
        whereView,
        async ({ host, options }) => {
          const { writablePlace } = await import('../../config/write.ts')
          const place = writablePlace(host, options)
          return record({ path: place.path, exists: place.exists, source: place.source, stateDir: stateFolder() })

          function stateFolder(): string | null {
            try {
              return stateDir(host, options).value
            } catch {
              // Only a courtesy here; whoever needs the folder is told what is missing.
              return null
            }
          }
        },
        { lenient: true },
      ),
    )
