/** From a method and a path to one of the ten operations, whose name is the method of `company.ts` that answers it. */
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
  return {
    name,
    operation: operations[name],
    words: operations[name].path.split('/'),
  }
})

/** The route of a path and a method; undefined: there is none. */
export function findRoute(method: string, path: string): Route | undefined {
  for (const { name, operation, words } of templates) {
    if (operation.method !== method) continue
    const ids = match(words, path.split('/'))
    if (ids !== undefined) return { name, operation, ids }
  }
  return undefined
}

/** The ids that stand in a path where the template has `{name}`; undefined when the path is another one. */
function match(
  template: readonly string[],
  words: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== words.length) return undefined
  const ids: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const word = words[index] ?? ''
    if (expected.startsWith('{') && word !== '') {
      ids[expected.slice(1, -1)] = word
    } else if (expected !== word) {
      return undefined
    }
  }
  return ids
}
