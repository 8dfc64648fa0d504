import { rows, type View } from '../../output/result.ts'
import { readUserFile, type UserFile } from '../../config/load.ts'
import { keyEnding } from '../../config/profile.ts'
import { describeSecret, secretSource } from '../../config/credentials.ts'
import type { Verb } from '../../cli/verb.ts'
import { examples } from '../../cli/options.ts'

interface ProfileRow {
  readonly name: string
  readonly current: boolean
  readonly baseUrl: string
  /** Its last four characters. */
  readonly apiKey: string
  /** Where it is, in words; never the secret itself. */
  readonly secret: string
  readonly protected: boolean
}

const profileView: View<ProfileRow> = {
  columns: [
    { title: 'NAME', field: 'name' },
    { title: 'CURRENT', field: 'current', kind: 'state' },
    { title: 'URL', field: 'baseUrl' },
    { title: 'KEY', field: 'apiKey' },
    { title: 'SECRET', field: 'secret' },
    { title: 'PROTECTED', field: 'protected', kind: 'state' },
  ],
  fields: ['name', 'current', 'baseUrl', 'apiKey', 'secret', 'protected'],
  id: ({ name }) => name,
}

export const list: Verb = (profiles, run) =>
  profiles
    .command('list')
    .summary('list the profiles of the configuration file')
    .addHelpText('after', examples('svc profiles list', 'svc profiles list --json', 'svc profiles list -o ids'))
    .action(
      run(profileView, async ({ host, options }) => {
        const file = await readUserFile(host, options)
        return rows(file === undefined ? [] : profileRows(file), {
          empty: 'no profiles; add one with: svc profiles add <name>',
        })
      }),
    )

function profileRows({ path, content }: UserFile): ProfileRow[] {
  return [...content.profiles].map(([name, profile]) => ({
    name,
    current: name === content.current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: describeSecret(secretSource(profile, name, path)),
    protected: profile.protected === true,
  }))
}
