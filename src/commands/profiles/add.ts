/** `svc profiles add`: saves credentials and rules as a profile. */
import { defineVerb } from '../../cli/verb.ts'
import type { FileProfile } from '../../config/file.ts'
import {
  isProfileName,
  parseApiKey,
  parseBaseUrl,
  parseCountry,
  profileNameRule,
  type SecretKey,
} from '../../config/settings.ts'
import { usageError } from '../../errors.ts'
import { defineOptions, type Option } from '../../cli/options.ts'
import { one, text } from '../../output/result.ts'
import { isObject } from '../../json.ts'
import { parseCount, parseRate } from '../../values.ts'
import { shellWord } from '../../words.ts'
import { askCredentials } from './ask-credentials.ts'
import { editUserFile, profileRow, rawProfiles, rulesOf } from './file.ts'

/** The options that are members of a profile under the same key. A member that is missing here is a type error. */
const memberOptions = defineOptions({
  protected: { summary: 'ask before every change' },
  readOnly: { summary: 'refuse every change' },
  maxDelete: {
    value: 'n',
    summary: 'refuse to delete more contacts than this at once',
    parse: parseCount,
  },
  country: {
    value: 'CC',
    summary: 'country of phone numbers without + or 00, such as DE',
    parse: parseCountry,
  },
  rate: {
    value: 'n/s',
    summary: 'the most requests per second, such as 5/s',
    // The file has it as text.
    parse: (typed: string, what: string) => `${parseRate(typed, what)}/s`,
  },
} satisfies Record<Exclude<keyof FileProfile, 'baseUrl' | 'apiKey' | SecretKey>, Option>)

const profileOptions = defineOptions({
  url: {
    value: 'url',
    summary: 'where the service is, for example https://api.example.com',
    parse: parseBaseUrl,
  },
  key: { value: 'key', summary: 'the API key', parse: parseApiKey },
  secretStdin: {
    summary: 'read the API secret from standard input, and keep it in the file',
    conflicts: ['secretFile', 'secretCommand'],
  },
  secretFile: {
    value: 'file',
    takes: 'file',
    summary: 'the API secret is in this file',
    conflicts: ['secretCommand'],
  },
  secretCommand: {
    value: 'words',
    summary: 'a command that prints the API secret, as one quoted argument',
  },
  ...memberOptions,
  replace: {
    summary: 'change the profile of this name; what you leave out stays as it is',
  },
})

export const verb = defineVerb({
  summary: 'add a profile to the configuration file',
  description:
    'Add a profile (a saved connection: base URL, key, secret and rules) to the configuration file. ' +
    'svc asks for the URL, the key and the secret if you leave them out. It sends no request.',
  notes: `The secret is not shown while you type it. The file is written with mode 0600.
The first profile becomes the current one. With --replace on a terminal, svc
asks for the secret, and Enter keeps the old one.

A secret command (--secret-command "pass show svc/prod") runs without a shell,
and not in the current folder; the one line that it prints is the secret.`,
  examples: [
    'svc profiles add ci --url "$SVC_BASE_URL" --key "$SVC_API_KEY" \\\n    --secret-stdin < secret.txt',
    'svc profiles add live --url https://api.example.com --key pk_1234 \\\n    --secret-file ~/secret --protected --max-delete 1000',
  ],
  arguments: [
    { name: 'name', summary: 'what to call it, for example prod', isRequired: true },
  ],
  options: profileOptions,
  effect: 'local',
  columns: {
    NAME: text('name'),
    CURRENT: text('current'),
    URL: text('baseUrl'),
    KEY: text('apiKey'),
    SECRET: text('secret'),
    RULES: text(rulesOf),
    FILE: text('file'),
  },
  ids: 'name',
  act: async (context, [name], options) => {
    const { host, note } = context
    if (!isProfileName(name))
      throw usageError('this is not a valid profile name', profileNameRule)
    const saved = await editUserFile(host, async (file) => {
      const replaced = file?.content.profiles.get(name)
      if (replaced !== undefined && options.replace !== true)
        throw usageError(`there is already a profile "${name}"`, 'to change it: --replace')
      const profiles = rawProfiles(file)
      const members = Object.entries(options).filter(([key]) => key in memberOptions)
      const profile = {
        ...(isObject(profiles[name]) && profiles[name]),
        ...(await askCredentials(context, options, replaced)),
        ...Object.fromEntries(members),
      }
      const current = file?.content.current ?? name
      return { ...file?.raw, current, profiles: { ...profiles, [name]: profile } }
    })
    note(`nothing was sent; to check the profile:\n  svc doctor -p ${shellWord(name)}`)
    return one({ ...profileRow(host, saved, name), file: saved.path })
  },
})
