import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../../cli/view-of.ts'
import { columnsFor } from '../../output/columns.ts'
import { document, type View } from '../../output/result.ts'
import type { Sourced } from '../../config/environment.ts'
import { stateDir, withTilde } from '../../config/paths.ts'
import { keyEnding, readConfiguration, type Profile } from '../../config/profile.ts'
import type { Settings } from '../../config/settings.ts'
import { rows as table, settingNames, type Setting } from '../../config/table.ts'

interface SettingRow {
  readonly setting: string
  readonly value: unknown
  readonly source: string
}

const settingView: View<SettingRow> = {
  columns: columnsFor('setting:id', 'value', 'source as FROM'),
  row: async () => (await import('../../views/documents.ts')).Setting,
  isDocument: true,
  schema: schemaOf('ShownProfile'),
}

export const verb = defineVerb({
  notes: `It shows only the last four characters of the key, and never the secret.`,
  examples: ['svc profiles show', 'svc profiles show prod', 'svc profiles show --json'],
  arguments: [
    {
      name: 'profile',
      takes: 'profile',
      summary: 'a profile of the file (default: the one in use)',
    },
  ],
  effect: 'reads',
  shows: settingView,
  whole: true,
  run: async ({ host, options, print }, [name]) => {
    const asked = name === undefined ? options : { ...options, profile: name }
    const configuration = await readConfiguration(host, asked)
    const profile = configuration.profile()
    const shown = describe(profile, configuration.settings, stateDir(host, asked))
    const inTable = (text: string): string =>
      print.format === 'table' ? withTilde(host, text) : text
    return document(shown, tableRows(shown, inTable))
  },
})

type ShownValue = ReturnType<typeof describe>

function describe(profile: Profile, settings: Settings, folder: Sourced<string>) {
  const { sources, rules } = profile
  const source = sources.apiKey
  return {
    profile: { value: profile.name ?? null, source: profile.source },
    baseUrl: { value: profile.baseUrl, source: sources.baseUrl },
    apiKey: { value: keyEnding(profile.apiKey), source },
    secret: { source: sources.secret },
    protected: { value: profile.protected, source },
    readOnly: { value: rules.readOnly === true, source },
    allow: { value: rules.allow ?? null, source },
    maxDelete: { value: rules.maxDelete ?? null, source },
    stateDir: { value: folder.value, source: folder.source },
    settings: settingsInWords(settings),
  }
}

/** Values as they are typed; a setting without one is null. */
function settingsInWords(settings: Settings): Record<string, Sourced<unknown>> {
  const inWords = settingNames.map((key): [string, Sourced<unknown>] => {
    const { value, source } = settings[key]
    const { inWords }: Setting<unknown> = table[key]
    return [
      key,
      { value: value === undefined ? null : (inWords?.(value ?? 0) ?? value), source },
    ]
  })
  return Object.fromEntries(inWords)
}

function tableRows(
  { settings, secret, ...profile }: ShownValue,
  inTable: (text: string) => string,
): SettingRow[] {
  const rowOf = ([setting, { value, source }]: [string, Sourced<unknown>]): SettingRow => ({
    setting,
    value: typeof value === 'string' ? inTable(value) : (value ?? '—'),
    source: inTable(source),
  })
  const { stateDir, ...parts } = profile
  return [
    ...Object.entries(parts).map(rowOf),
    rowOf(['secret', { value: 'not shown', source: secret.source }]),
    rowOf(['stateDir', stateDir]),
    ...Object.entries(settings).map(rowOf),
  ]
}
