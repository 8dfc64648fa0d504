/** A list's name and description from options, a file, or standard input. */
import { codePoints, limits } from '../../api/limits.ts'
import { usageError } from '../../errors.ts'
import type { Context } from '../../cli/context.ts'
import { groupDigits } from '../../words.ts'
import { readSource } from '../source.ts'

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
