/** The profiles of the configuration file, and the one that a verb is for. */
import type { Context } from '../../cli/context.ts'
import { describeSecret, secretSource } from '../../config/credentials.ts'
import { readUserFile, type UserFile } from '../../config/load.ts'
import { keyEnding } from '../../config/profile.ts'
import type { FileProfile } from '../../config/schema.ts'
import { usageError } from '../../errors.ts'
import type { Profile } from '../../views/documents.ts'

export function profileRows({ path, content }: UserFile): Profile[] {
  const { current } = content
  return [...content.profiles].map(([name, profile]) =>
    profileRow(name, profile, { path, current }),
  )
}

export function profileRow(
  name: string,
  profile: FileProfile,
  { path, current }: { readonly path: string; readonly current: string | undefined },
): Profile {
  return {
    name,
    current: name === current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: describeSecret(secretSource(profile, name, path)),
    protected: profile.protected === true,
  }
}

/** The profile as it was typed, or as it was chosen. Throws exit 2 when there is none. */
export async function typedProfile(context: Context, typed: string | undefined): Promise<string> {
  const name = typed ?? (await context.choose('Which profile?', () => choices(context)))
  if (name === undefined) throw usageError('the argument <name> is missing')
  return name
}

async function choices({ host, options }: Pick<Context, 'host' | 'options'>) {
  const file = await readUserFile(host, options)
  const all = file === undefined ? [] : profileRows(file)
  const detailOf = ({ baseUrl, current }: Profile): string =>
    `${baseUrl}${current ? ', current' : ''}`
  return all.map((profile) => ({
    value: profile.name,
    name: profile.name,
    detail: detailOf(profile),
  }))
}
