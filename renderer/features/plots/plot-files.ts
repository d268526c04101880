import { csvText } from '@shared/base/csv-text';

/** A table of a plot's figures: the first row names the columns. */
export type PlotRows = readonly (readonly (string | number | null)[])[];

/** RFC 4180. */
export function csvOf(rows: PlotRows): string {
  return `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  return typeof value === 'number' ? String(value) : csvText(value);
}

/** The drawing as a document of its own, on the theme's ground. */
export function svgOf(drawing: SVGSVGElement, ground: string): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const back = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  back.setAttribute('width', String(width));
  back.setAttribute('height', String(height));
  back.setAttribute('fill', ground);
  copy.prepend(back);
  return new XMLSerializer().serializeToString(copy);
}

/** The drawing as a PNG of twice its size, base64. Rejects when the browser cannot draw it. */
export async function pngOf(drawing: SVGSVGElement, ground: string): Promise<string> {
  const { width, height } = drawing.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(drawing, ground))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * 2;
  canvas.height = height * 2;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This window cannot draw pictures.');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
