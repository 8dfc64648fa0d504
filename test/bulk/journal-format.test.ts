/** docs/journal-format.md and the schemas that runs are read by: each member of one stands in the other. */
import { build } from 'esbuild'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ownFolder } from '../ending.ts'
import { root } from '../svc.ts'

const page = readFileSync(join(root, 'docs/journal-format.md'), 'utf8')
const folder = ownFolder('journal-format')

/** A schema of valibot, as far as it is walked here. */
interface Schema {
  readonly entries?: Readonly<Record<string, Schema>>
  readonly wrapped?: Schema
  readonly item?: Schema
  readonly options?: readonly Schema[]
  readonly literal?: string
}

/** A schema that a file of src keeps to itself. */
async function schemaIn(file: string, name: string): Promise<Schema> {
  const path = join(root, 'src/bulk', file)
  const contents = `${readFileSync(path, 'utf8')}\nexport { ${name} as schema }`
  const outfile = join(folder, `${name}.mjs`)
  const stdin = { contents, resolveDir: dirname(path), loader: 'ts' } as const
  const js =
    "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);"
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js },
    logLevel: 'error',
  })
  return ((await import(pathToFileURL(outfile).href)) as { schema: Schema }).schema
}

/** Members of a schema, those of objects within it with dots: `key.fingerprint`. */
function membersOf({ entries, wrapped, item }: Schema): string[] {
  const inner = wrapped ?? item
  if (entries === undefined) return inner === undefined ? [] : membersOf(inner)
  return Object.entries(entries).flatMap(([name, schema]) => {
    const below = membersOf(schema)
    return below.length === 0 ? [name] : below.map((member) => `${name}.${member}`)
  })
}

/** Rows of the table below a title: the code in each of their cells. */
function tableBelow(title: string): string[][][] {
  const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.slice(2).map((row) => row.split('|').slice(1, -1))
  return cells.map((row) =>
    row.map((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code)),
  )
}

it.each([
  ['run.json', 'record/run.ts', 'Run'],
  ['name.json', 'runs/names.ts', 'NameFile'],
  ['Locks', '../disk/lock-file.ts', 'Lock'],
])('%s: every member stands in the page, and no other', async (title, file, name) => {
  const told = tableBelow(title).flatMap(([codes = []]) => codes)
  expect(told.sort()).toEqual(membersOf(await schemaIn(file, name)).sort())
})

describe('A line of the journal', () => {
  it('every event and each of its members stands in the page, and no other', async () => {
    const told: Record<string, string[]> = {}
    let event = ''
    for (const [events = [], members = []] of tableBelow('A line of the journal')) {
      event = events[0] ?? event
      told[event] = [...(told[event] ?? []), ...members].sort()
    }
    const { options = [] } = await schemaIn('record/events.ts', 'Event')
    const known = options.map((schema) => {
      const members = membersOf(schema).filter((member) => member !== 't' && member !== 'at')
      return [schema.entries?.['t']?.literal ?? '', members.sort()] as const
    })
    expect(known.length).toBeGreaterThan(5)
    expect(told).toEqual(Object.fromEntries(known))
  })
})
