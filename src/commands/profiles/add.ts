import { indent, join, say, svc } from '../../message.ts'
import { createApi } from '../../api/client.ts'
import { viewOf } from '../../cli/view-of.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exit, SvcError, usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import { readUserFileAt, type UserFile } from '../../config/load.ts'
import { readConfiguration, type Profile } from '../../config/profile.ts'
import type { Context } from '../../cli/context.ts'
import { isProfileName, profileNameRule } from '../../config/rules.ts'
import {
  change,
  refuseTaken,
  writableFile,
  writtenProfiles,
  profileRow,
} from '../../cli/profiles.ts'
import { readCredentials, type CredentialOptions } from './credentials.ts'
import { safe } from '../../safe-text.ts'

const addedView = viewOf(
  'AddedProfile',
  [
    'name',
    'baseUrl as URL',
    'apiKey as KEY',
    'secret',
    'protected:state',
    'current:state',
    'file',
    'check:state',
  ],
  { id: ({ name }) => name },
)

const about = `The secret is not shown while you type it. The file is written with mode 0600.
The first profile that the service accepts becomes the current one. With
--replace a profile keeps what you leave out; on a terminal svc asks for its
secret, and Enter keeps it.
A failed check ends with that request's exit code; the profile is saved.

A secret command (--secret-command "pass show svc/prod") runs without a shell,
and not in the current folder; the one line that it prints is the secret.`

export const verb = defineVerb({
  description:
    'Add a profile (a saved connection: base URL, key and secret) to the configuration file, and try it with one signed request. ' +
    'svc asks for what you leave out.',
  notes: about,
  examples: [
    'svc profiles add sandbox --url "$SVC_BASE_URL" --key "$SVC_API_KEY" \\\n    --secret-env SVC_API_SECRET',
    'svc profiles add ci --url "$SVC_BASE_URL" --key "$SVC_API_KEY" \\\n    --secret-stdin < secret.txt',
    'svc profiles add live --url https://api.example.com --key pk_1234 \\\n    --secret-file ~/secret --protected',
  ],
  arguments: [
    { name: 'name', summary: 'what to call it, for example prod', isRequired: true },
  ],
  options: {
    url: {
      value: 'url',
      summary: 'where the service is, for example https://api.example.com',
    },
    key: { value: 'key', summary: 'the API key' },
    secretStdin: {
      summary: 'read the API secret from standard input, and keep it in the file',
    },
    secretEnv: {
      value: 'NAME',
      summary: 'the API secret is in this environment variable',
    },
    secretFile: { value: 'file', takes: 'file', summary: 'the API secret is in this file' },
    secretCommand: {
      value: 'words',
      summary: 'a command that prints the API secret, as one quoted argument',
    },
    protected: { summary: 'ask before every write with this profile' },
    replace: {
      summary: 'change the profile of this name; what you leave out stays as it is',
    },
  },
  effect: 'local',
  shows: addedView,
  run: async (context, [name], options) => {
    const { host } = context
    if (!isProfileName(name))
      throw usageError('this cannot be the name of a profile', profileNameRule)
    const byHand = linesFor(name, options)
    const profileIn = (file: UserFile | undefined) => {
      if (options.replace !== true) refuseTaken(file, name, 'to change it: --replace')
      return file?.content.profiles.get(name)
    }
    // Every reason not to save comes before anybody types a secret.
    const place = writableFile(host, context.options, byHand)
    const before = profileIn(
      place.exists ? await readUserFileAt(host, place.path) : undefined,
    )
    const { secret, ...address } = await readCredentials(context, options, before)
    const {
      apiSecret: _,
      secretEnv: __,
      secretFile: ___,
      secretCommand: ____,
      ...kept
    } = before ?? {}
    const profile = {
      ...kept,
      ...address,
      ...secret,
      ...(options.protected === true && { protected: true }),
    }
    let current: string | undefined
    const file = await change(host, context.options, byHand, (found) => {
      profileIn(found)
      current = found?.content.current
      return { ...found?.raw, profiles: { ...writtenProfiles(found), [name]: profile } }
    })
    const exitCode = await tryOut(context, name, current)
    const check = exitCode === exit.done ? 'passed' : 'failed'
    // Nobody is led to a profile that does not work, or away from another one.
    if (current === undefined && exitCode === exit.done) {
      await change(host, context.options, byHand, (found) => {
        current = found?.content.current ?? name
        return { ...found?.raw, current }
      })
    }
    return one(
      { ...profileRow(name, profile, { path: file, current }), file, check },
      { exitCode },
    )
  },
})

/** A line to add to a YAML file, whose comments and order svc would not keep. Never holds a secret. */
function linesFor(
  name: string,
  options: CredentialOptions & { readonly protected?: true },
): string {
  const {
    url = 'https://…',
    key = '…',
    secretEnv,
    secretFile,
    protected: isProtected,
  } = options
  const secret =
    secretEnv === undefined && secretFile === undefined
      ? { secretCommand: ['pass', 'show', 'svc/…'] }
      : {}
  const profile = {
    baseUrl: url,
    apiKey: key,
    secretEnv,
    secretFile,
    ...secret,
    protected: isProtected,
  }
  return `add to it:\nprofiles:\n  ${name}: ${JSON.stringify(profile)}`
}

/**
 * Tries the credentials with one signed request, the smallest read there is. Returns the exit code of that.
 * The profile is saved anyway: it may be right while the service cannot be reached from here, or not yet.
 */
async function tryOut(
  context: Context,
  name: string,
  current: string | undefined,
): Promise<number> {
  const { baseUrl: _, ...options } = context.options
  const profile = (
    await readConfiguration(context.host, { ...options, profile: name })
  ).profile()
  const error = await refusalOf(context, profile)
  // The first one is current if it works.
  const inUse = current ?? (error === undefined ? name : undefined)
  const here = inUse === name && options.profile === undefined ? {} : { profile: name }
  if (error === undefined) {
    context.note(
      say`the service accepts these credentials; try:\n  ${{ ...svc`lists list`, ...here }}`,
    )
    return exit.done
  }
  const { category, details, message, exitCode } = error
  // Nothing answered that knows the service, or it knows no such path.
  const isOfAddress = category === 'unavailable' && (details.httpStatus ?? 0) < 500
  const lines = [
    `the profile is saved, but a request with it failed: ${safe(message)}`,
    details.hint,
    isOfAddress
      ? say`if the URL is wrong:\n  ${svc`profiles add ${name} --replace --url <url>`}`
      : undefined,
    say`see what is wrong: ${{ ...svc`doctor`, ...here }}`,
  ]
  context.warn(indent(join(lines, '\n'), '  '))
  return exitCode
}

/** The error of a request with a profile, or of what comes before it, such as a secret that cannot be read. */
async function refusalOf(
  context: Context,
  profile: Profile,
): Promise<SvcError | undefined> {
  let client: Awaited<ReturnType<Context['open']>> | undefined
  try {
    client = await context.open(profile)
    return await createApi(client).check()
  } catch (error) {
    if (!(error instanceof SvcError) || context.signals.cancelled.aborted) throw error
    return error
  } finally {
    client?.close()
  }
}
