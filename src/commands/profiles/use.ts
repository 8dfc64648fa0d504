import { record, type View } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'
import { change, existing } from './change.ts'

interface Chosen {
  readonly current: string
  readonly file: string
}

const chosenView: View<Chosen> = {
  columns: [
    { title: 'CURRENT', field: 'current' },
    { title: 'FILE', field: 'file' },
  ],
  fields: ['current', 'file'],
  id: ({ current }) => current,
}

export const use: Verb = (profiles, run) =>
  profiles
    .command('use')
    .summary('choose the profile that is used from now on')
    .argument('<name>', 'a profile of the file')
    .addHelpText('after', examples('svc profiles use staging', 'svc profiles use prod --json'))
    .action(
      run(chosenView, async ({ host, options }, name) => {
        const file = await change(host, options, `change "current" in it yourself:\n  current: ${name}`, (found) => {
          const { raw } = existing(found, name)
          return { ...raw, current: name }
        })
        return record({ current: name, file })
      }),
    )
