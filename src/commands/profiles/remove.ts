import { record, type View } from '../../output/output.ts'
import type { Verb } from '../../verb.ts'
import { examples } from '../options.ts'
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
are left alone.\n${examples('svc profiles remove staging', 'svc profiles remove staging --json')}`,
    )
    .action(
      run(removedView, async ({ host, options, warn }, name) => {
        let current: string | undefined
        const file = await change(host, options, `remove "${name}" below "profiles" yourself`, (found) => {
          const { profiles, raw, current: before } = existing(found, name)
          current = before === name ? undefined : before
          return { ...(before === name ? without(raw, 'current') : raw), profiles: without(profiles, name) }
        })
        if (current === undefined) warn('no profile is current now; choose one with: svc profiles use <name>')
        return record({ removed: name, current: current ?? null, file })
      }),
    )

function without(object: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== key))
}
