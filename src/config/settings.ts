/** Every setting, and the place in words that gave it: option, environment, project, profile, defaults, built-in. */
import type { Host } from '../host.ts'
import { readColor, variable, type Sourced } from './environment.ts'
import { longOf, settingNames, settings, type Setting, type SettingKey } from './table.ts'

export { settingNames }

export interface GlobalOptions {
  profile?: string
  config?: string
  stateDir?: string
  baseUrl?: string
  output?: string
  json?: boolean
  out?: string
  replaceOut?: boolean
  fields?: string
  header?: boolean
  csvRaw?: boolean
  truncate?: boolean
  utc?: boolean
  color?: string
  progress?: string
  quiet?: boolean
  verbose?: number
  errorFormat?: string
  timeout?: string
  retries?: string
  maxRetryWait?: string
  country?: string
  yes?: boolean
  input?: boolean
  /** The command has a `--limit`, and it was typed. */
  isLimited?: boolean
}

/** The `defaults` of one file or profile: values as the file has them. */
export interface Layer {
  readonly source: string
  readonly defaults: Defaults
}

export type Defaults = Readonly<Partial<Record<SettingKey, string | number | boolean | undefined>>>

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never

export type Settings = { readonly [Key in SettingKey]: Sourced<ValueOf<(typeof settings)[Key]>> }

/** The settings of a command line; `layers` in order of precedence. Throws exit 2 for a wrong option or variable. */
export function resolveSettings(host: Pick<Host, 'env'>, options: GlobalOptions, layers: readonly Layer[]): Settings {
  const resolved = settingNames.map((key) => {
    const { builtIn, parse } = settings[key]
    const found = fromOption(key, options) ?? fromEnvironment(key, host) ?? fromFiles(key, layers)
    if (found === undefined) return [key, { value: builtIn, source: 'built-in' }] as const
    return [key, { value: parse(found.value, found.source), source: found.source }] as const
  })
  // Each row has read its own value.
  return Object.fromEntries(resolved) as unknown as Settings
}

function fromOption(key: SettingKey, options: GlobalOptions): Sourced<string> | undefined {
  if (key === 'output' && options.json === true) return { value: 'json', source: '--json' }
  const value = key in options ? options[key as keyof GlobalOptions] : undefined
  return value === undefined || value === false ? undefined : { value: String(value), source: longOf(key) ?? key }
}

function fromEnvironment(key: SettingKey, host: Pick<Host, 'env'>): Sourced<string> | undefined {
  if (key === 'color') return readColor(host)
  for (const source of settings[key].variables ?? []) {
    const value = variable(host, source)
    if (value !== undefined) return { value, source }
  }
  return undefined
}

function fromFiles(key: SettingKey, layers: readonly Layer[]): Sourced<string> | undefined {
  const layer = layers.find(({ defaults }) => defaults[key] !== undefined)
  return layer === undefined ? undefined : { value: String(layer.defaults[key]), source: layer.source }
}
