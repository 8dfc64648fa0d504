/** How strings are compared, and which things have a name. No name is guessed. */

/**
 * Anything but words of ASCII with one space between them, which most strings are. `visibleText`
 * would not change those.
 */
const unusual = /[^ -~]|^ | {2}| $/

/**
 * A string as people see it: each character in its plain form (NFKC), without invisible characters,
 * and with one space for each run of white space.
 */
export function visibleText(text: string) {
  if (!unusual.test(text)) return text
  const plain = text.normalize('NFKC')
  const visible = plain.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  // Again, because an invisible character may have been between a letter and its accent.
  const composed = visible.normalize('NFKC')
  // U+2800, the blank Braille cell, looks like a space.
  return composed.replace(/[\s\u0085\u2800]+/g, ' ').trim()
}

/**
 * The form in which strings are compared. Strings that differ only in letter case, white space or
 * invisible characters have the same form.
 */
export function fold(text: string) {
  // In upper case, ß is SS, and both small sigmas are one letter. Only in lower case, a capital ẞ
  // becomes ß.
  const folded = visibleText(text).toLowerCase().toUpperCase().toLowerCase()
  // The capitals of some letters have their accents apart.
  return folded.normalize('NFKC')
}

/** Whether two names have exactly the same letters, however their accents are encoded. */
export const isExactName = (one: string, other: string) =>
  one.normalize() === other.normalize()

/**
 * Returns the things that have a name: the only one in exactly these letters if there are several,
 * and else all whose name is the same without letter case, white space and invisible characters.
 */
export function havingName<Thing>(
  all: readonly Thing[],
  nameOf: (thing: Thing) => string,
  name: string,
): readonly Thing[] {
  const folded = fold(name)
  if (folded === '') return []
  const same = all.filter((each) => fold(nameOf(each)) === folded)
  const exact = same.filter((each) => isExactName(nameOf(each), name))
  return exact.length === 1 ? exact : same
}

/**
 * Whether at most one slip of the keyboard lies between two words: a letter too many, too few, or
 * wrong, or two that changed places.
 */
export function isNear(one: string, other: string) {
  const length = Math.min(one.length, other.length)
  let same = 0
  while (same < length && one[same] === other[same]) same += 1
  const [from, to] = [one.slice(same), other.slice(same)]
  const isSwapped =
    to.slice(0, 2) === from.charAt(1) + from.charAt(0) && to.slice(2) === from.slice(2)
  const isOneLetter = from.slice(1) === to.slice(1)
  return isOneLetter || from.slice(1) === to || from === to.slice(1) || isSwapped
}
