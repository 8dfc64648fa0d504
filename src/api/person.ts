/**
 * `First Last`, or what there is of it; the blanks in it are part of it, or who is shown could not be found by that name.
 */
export function fullName(person: {
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
}): string {
  return [person.firstName, person.lastName].filter((part) => part != null && part !== '').join(' ')
}
