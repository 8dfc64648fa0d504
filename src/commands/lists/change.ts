/**
 * Changing a list's name or description for `lists update`, which loads this file when it runs, and what a dry run of that shows. The
 * options for name and description are read here for `lists create` too.
 */
import { say, svc } from '../../message.ts'
import { SvcError, usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { dryRunOf } from '../one-change.ts'
import { resolveList } from '../../cli/near-names.ts'
import { codePoints, limits } from '../../api/operations.ts'
import { groupDigits } from '../../words.ts'
import { readSource } from '../source.ts'

export async function updateList(
  context: Context,
  typed: string | undefined,
  options: TextOptions & { readonly dryRun?: true },
) {
  const description = await readDescription(context, options)
  const changes = {
    ...(options.name === undefined ? {} : { name: checkName(options.name) }),
    ...(description === undefined ? {} : { description }),
  }
  if (Object.keys(changes).length === 0)
    throw usageError('nothing to change: give --name, --description or --description-file')
  if (options.dryRun !== true) await context.permit({ operation: 'lists.update', ids: 1 })
  const found = await resolveList(context, typed, 'change')
  const { id } = found
  if (options.dryRun === true) return planUpdate(context, found, changes)
  await context.confirmProtected(`Update the list ${id}`)
  try {
    return one(await (await context.api()).lists.update(id, changes))
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(
      say`the list may or may not have been changed; see what it is now:\n  ${svc`lists get ${id}`}`,
    )
  }
}

type Changes = Readonly<Partial<Record<'name' | 'description', string>>>

/** The dry run, by a read only. */
async function planUpdate(
  context: Context,
  { id, list }: Awaited<ReturnType<typeof resolveList>>,
  changes: Changes,
) {
  const now = list ?? (await (await context.api()).lists.get(id))
  const fields = (['name', 'description'] as const).filter((what) => changes[what] !== undefined)
  const before = Object.fromEntries(fields.map((what) => [what, now[what] ?? '']))
  const words = fields.map((what) => {
    return { what, before: JSON.stringify(before[what]), after: JSON.stringify(changes[what]) }
  })
  return dryRunOf(context, `update the list ${id}`, 'lists.update', {
    listId: id,
    before,
    body: changes,
    changes: words,
  })
}

/** Options for a list's name and description; the description may come from a file or standard input. */
export type TextOptions = Readonly<
  Partial<Record<'name' | 'description' | 'descriptionFile', string>>
>

/** Undefined when neither option was given. One line end at the end of a file is not part of the description. Throws exit 2. */
export async function readDescription(
  { host }: Context,
  { description, descriptionFile: path }: TextOptions,
) {
  if (description !== undefined && path !== undefined) {
    throw usageError('use --description or --description-file, not both')
  }
  const value = path === undefined ? description : await readDescriptionFile(host, path)
  if (value !== undefined && codePoints(value) > limits.listDescription.max) {
    throw usageError(`the description has ${lengthOf(value)} characters; at most 1,000 are allowed`)
  }
  return value
}

/** More bytes than the longest description can have, with room to count by how much one is too long. */
const mostBytes = 1024 * 1024

async function readDescriptionFile(host: Context['host'], path: string): Promise<string> {
  const bytes = await readSource(host, path, {
    option: '--description-file',
    what: 'the description',
    most: mostBytes,
  })
  const source = path === '-' ? 'standard input' : `"${path}"`
  if (bytes.length > mostBytes) throw usageError(`${source} is longer than any description can be`)
  try {
    // Read leniently, broken bytes would be stored for good as question marks. A BOM is dropped.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
  } catch {
    throw usageError(`the description in ${source} is not valid UTF-8`)
  }
}

/** Throws exit 2 on a name that the service would refuse. */
export function checkName(name: string): string {
  const length = codePoints(name)
  if (length < limits.listName.min) throw usageError('--name must not be empty')
  if (length > limits.listName.max)
    throw usageError(
      `the name has ${lengthOf(name)} characters; at most ${limits.listName.max} are allowed`,
    )
  return name
}

function lengthOf(text: string): string {
  return groupDigits(codePoints(text))
}
