// One colour per criterion, the same on every page. The colours are in style/colours.css, for light
// and for dark; here are only their names.

export const paletteSize = 16;

/** Overall is 0. With more criteria than colours they begin again, without overall's grey. */
export const colourIndex = (criterion: number): number =>
  criterion < paletteSize ? criterion : 1 + ((criterion - paletteSize) % (paletteSize - 1));

export const colourOf = (criterion: number): string => `var(--c${colourIndex(criterion)})`;

/** A colour of the style sheet as a value that a canvas understands. */
export function resolved(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

export const resolvedColour = (criterion: number): string => resolved(`c${colourIndex(criterion)}`);
