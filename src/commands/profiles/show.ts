import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { document, type View, columnsFor } from '../../output/result.ts'
import type { Sourced } from '../../config/environment.ts'
import { stateDir } from '../../config/paths.ts'
import { keyEnding, readConfiguration } from '../../config/profile.ts'
import type { Settings } from '../../config/settings.ts'
import { settings as settingTable, settingNames } from '../../config/table.ts'

interface ShownSetting {
  setting: string
  value: unknown
  source: string
}

const settingView: View<ShownSetting> = {
  columns: columnsFor('setting:id', 'value', 'source as FROM'),
  rowSchema: async () => (await import('../../views/documents.ts')).Setting,
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
  run: async ({ host, options }, [name]) => {
    const chosen = name === undefined ? options : { ...options, profile: name }
    const configuration = await readConfiguration(host, chosen)
    const profile = configuration.profile()
    const { sources, rules } = profile
    // The rules of a profile come from where its key comes from.
    const source = sources.apiKey
    const facts = {
      profile: { value: profile.name ?? null, source: profile.chosenBy },
      baseUrl: { value: profile.baseUrl, source: sources.baseUrl },
      apiKey: { value: keyEnding(profile.apiKey), source },
      protected: { value: profile.protected, source },
      readOnly: { value: rules.readOnly === true, source },
      allow: { value: rules.allow ?? null, source },
      maxDelete: { value: rules.maxDelete ?? null, source },
      // Not checked: a folder that cannot be used is shown too.
      stateDir: stateDir(host, chosen),
    }
    const settings = settingsInWords(configuration.settings)
    const secretSource = { source: sources.secret }
    const json = { ...facts, secret: secretSource, settings }
    // The table has the same facts, and words in place of the secret.
    const secret = { value: 'not shown', ...secretSource }
    const cells = { ...facts, secret, ...settings }
    const rows = Object.entries(cells).map(([setting, { value, source }]) => ({
      setting,
      value: value ?? '—',
      source,
    }))
    return document(json, rows)
  },
})

/** The settings as people type them; one without a value is null. */
function settingsInWords(settings: Settings): Record<string, Sourced<unknown>> {
  const entries = settingNames.map((key): [string, Sourced<unknown>] => {
    const { value, source } = settings[key]
    const typed = value === undefined ? null : (settingTable[key].inWords?.(value) ?? value)
    return [key, { value: typed, source }]
  })
  return Object.fromEntries(entries)
}
