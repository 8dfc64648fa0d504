/** From a method and a path to one of the ten operations, and from there to what a company does. */
import { operations, type Operation, type OperationName } from '../api/operations.ts'

/** An operation that a path and a method name. */
export interface Route {
  readonly name: OperationName
  readonly operation: Pick<Operation, 'method' | 'path' | 'scope'>
  /** The ids in the path by name, as they were sent and not checked yet. */
  readonly ids: Readonly<Record<string, string>>
}

export const operationNames = Object.keys(operations).filter(
  (name): name is OperationName => name in operations,
)

const templates = operationNames.map((name) => {
  return { name, operation: operations[name], words: operations[name].path.split('/') }
})

/** The route of a path and a method; undefined: there is none. */
export function findRoute(method: string, path: string): Route | undefined {
  for (const { name, operation, words } of templates) {
    const ids = operation.method === method ? match(words, path.split('/')) : undefined
    if (ids !== undefined) return { name, operation, ids }
  }
  return undefined
}

function match(
  template: readonly string[],
  words: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== words.length) return undefined
  const found: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const word = words[index] ?? ''
    if (expected.startsWith('{') && word !== '') found[expected.slice(1, -1)] = word
    else if (expected !== word) return undefined
  }
  return found
}
