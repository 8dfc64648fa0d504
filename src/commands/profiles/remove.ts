import { record, type View } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'
import { change, existing } from './change.ts'

interface Removed {
  readonly removed: string
  /** The profile that is used from now on; null when it was the one that was removed. */
  readonly current: string | null
  readonly file: string
}

const removedView: View<Removed> = {
  columns: [
    { title: 'REMOVED', field: 'removed' },
    { title: 'CURRENT', field: 'current' },
    { title: 'FILE', field: 'file' },
  ],
  fields: ['removed', 'current', 'file'],
  id: ({ removed }) => removed,
}

export const remove: Verb = (profiles, run) =>
  profiles
    .command('remove')
    .summary('remove a profile from the configuration file')
    .argument('<name>', 'a profile of the file')
    .addHelpText(
      'after',
      `\nA secret that the file holds goes with it; secret files and password managers
are left alone. A protected profile asks first.\n${examples('svc profiles remove staging', 'svc profiles remove staging --json')}`,
    )
    .action(
      run(removedView, async (tools, name) => {
        const { host, options, warn } = tools
        const { readUserFile } = await import('../../config/load.ts')
        const before = await readUserFile(host, options)
        if (before?.content.profiles.get(name)?.protected === true) {
          await tools.confirm({ kind: 'yes-no', message: `Remove the protected profile "${name}"?` })
        }
        let current: string | undefined
        const file = await change(host, options, `remove "${name}" below "profiles" yourself`, (found) => {
          const { profiles, raw, current: chosen } = existing(found, name)
          current = chosen === name ? undefined : chosen
          return { ...(chosen === name ? without(raw, 'current') : raw), profiles: without(profiles, name) }
        })
        if (current === undefined) warn('no profile is current now; choose one with: svc profiles use <name>')
        return record({ removed: name, current: current ?? null, file })
      }),
    )

function without(object: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== key))
}
