/** Every setting of a command, and its source in words: option, environment, profile, defaults or built-in. */
import type { Host } from '../host.ts'
import { variable, type Sourced } from './environment.ts'
import { longFlag, readValue } from '../options.ts'
import {
  rows,
  settingNames,
  settings,
  type OptionKey,
  type Setting,
  type SettingKey,
  type SettingValue,
} from './table.ts'

/** The typed options; `--json` is short for `--output json`. */
export type TypedSettings = {
  readonly [Key in OptionKey]?: SettingValue<Key> | undefined
} & {
  json?: boolean
}

/** The settings of a profile, or the `defaults` of the file: values as the file has them. */
export interface Layer {
  source: string
  defaults: Defaults
}

export type Defaults = Readonly<
  Partial<Record<SettingKey, string | number | boolean | undefined>>
>

export type Settings = { readonly [Key in SettingKey]: Sourced<SettingValue<Key>> }

/** The settings of a command line; `layers` in order of precedence. Throws exit 2 for a wrong variable. */
export function resolveSettings(
  host: Host,
  options: TypedSettings,
  layers: readonly Layer[],
): Settings {
  const resolved = settingNames.map((key) => {
    const found = fromOptionOrVariable(key, host, options) ?? fromFiles(key, layers)
    return [key, found ?? { value: settings[key].builtIn, source: 'built-in' }] as const
  })
  // Each row has read its own value.
  return Object.fromEntries(resolved) as unknown as Settings
}

/** The value of the option, or else of its variable; files are not read. Throws exit 2 for a wrong variable. */
export function fromOptionOrVariable<Key extends OptionKey>(
  key: Key,
  host: Host,
  options: TypedSettings,
) {
  const found = fromOption(key, options) as Sourced<SettingValue<Key>> | undefined
  return found ?? fromVariable(key, host)
}

/** The value of its variable. Throws exit 2 for a wrong one. */
export function fromVariable<Key extends OptionKey>(key: Key, host: Host) {
  const found = parseText(key, variableOf(key, host))
  return found as Sourced<SettingValue<Key>> | undefined
}

function fromOption(key: OptionKey, options: TypedSettings): Sourced<unknown> | undefined {
  if (key === 'output' && options.json === true) return { value: 'json', source: '--json' }
  const value = options[key]
  return value === undefined ? undefined : { value, source: longFlag(key, rows[key]) }
}

/** The value of a text, read by the rule of its row. */
function parseText(key: OptionKey, text: Sourced<string> | undefined) {
  return text && { ...text, value: readValue(rows[key], text.value, text.source) }
}

function variableOf(key: OptionKey, host: Host): Sourced<string> | undefined {
  const { environment = [], meanings }: Setting = rows[key]
  const source = environment.find((name) => variable(host, name) !== undefined)
  if (source === undefined) return undefined
  return { value: meanings?.[source] ?? variable(host, source) ?? '', source }
}

function fromFiles(
  key: SettingKey,
  layers: readonly Layer[],
): Sourced<unknown> | undefined {
  const layer = layers.find(({ defaults }) => defaults[key] !== undefined)
  return parseText(
    key,
    layer && { value: String(layer.defaults[key]), source: layer.source },
  )
}

/** The unchecked text of a variable, for settings that must be known before anything is checked. */
export function textOfVariable(key: OptionKey, host: Host): string | undefined {
  return variableOf(key, host)?.value
}
