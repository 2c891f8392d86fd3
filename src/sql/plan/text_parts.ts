/** A plan's text with gaps where the relations go. The mark is a control character that no literal holds. */

const MARK = "\x01";

export function relationMark(index: number): string {
  return `${MARK}${index}${MARK}`;
}

/** The text with each mark replaced. */
export function fillRelations(text: string, relations: readonly string[]): string {
  const parts = text.split(MARK);
  for (let i = 1; i < parts.length; i += 2) parts[i] = relations[Number(parts[i])]!;
  return parts.join("");
}
