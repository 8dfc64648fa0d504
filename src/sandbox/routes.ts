/** Finds the operation that a request names. */
import { operations, type OperationName } from '../api/operations.ts'

/** The names of the operations. `company.ts` has a method with the same name for each. */
export const operationNames = Object.keys(operations) as OperationName[]

const routes = operationNames.map((name) => {
  const { method, path } = operations[name]
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`)
  return { name, method, pattern }
})

/**
 * Returns the operation of a request, and the unchecked id in its path; undefined if there is no such operation. `path` is as it was
 * sent, and not normalized by `URL`, so that `/v1/lists/../contacts` names no operation.
 */
export function findRoute(method: string | undefined, path: string) {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null
    if (match !== null) return { name: route.name, id: match[1] }
  }
  return undefined
}
