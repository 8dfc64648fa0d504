/** A list's description from an option, a file, or standard input. */
import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { codePoints, limits } from '../../api/contract.ts'
import { messageOf, usageError } from '../../errors.ts'
import type { Tools } from '../../verb.ts'

export interface DescriptionChoice {
  readonly description?: string
  readonly descriptionFile?: string
}

/** Undefined when neither option was given. One line end at the end of a file is not part of the description. Throws exit 2. */
export async function readDescription({ host }: Tools, choice: DescriptionChoice): Promise<string | undefined> {
  const { description, descriptionFile: path } = choice
  if (description !== undefined && path !== undefined) {
    throw usageError('--description and --description-file exclude each other')
  }
  const value = path === undefined ? description : await readDescriptionFile(host, path)
  if (value !== undefined && codePoints(value) > limits.listDescription.max) {
    throw usageError(`the description has ${codePoints(value)} characters; at most ${limits.listDescription.max} are allowed`)
  }
  return value
}

async function readDescriptionFile(host: Tools['host'], path: string): Promise<string> {
  if (path === '-' && host.isTerminal.stdin) throw usageError('--description-file - reads standard input, which is a terminal', 'pipe the text in')
  let content: string
  try {
    content = path === '-' ? await readText(host.stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw usageError(`cannot read the description from "${path}": ${messageOf(error)}`)
  }
  return content.replace(/^\ufeff/, '').replace(/\r?\n$/, '')
}

/** Throws exit 2 on a name that the service would refuse. */
export function checkName(name: string): string {
  const length = codePoints(name)
  if (length < limits.listName.min) throw usageError('--name must not be empty')
  if (length > limits.listName.max) throw usageError(`the name has ${length} characters; at most ${limits.listName.max} are allowed`)
  return name
}
