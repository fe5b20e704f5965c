/// The style of the page: light or dark as the system's setting, one column on a phone, black on white in print.
extension BenchPage {
  static let style = """
    :root { --paper: #fff; --ink: #16202a; --quiet: #5a6672; --rule: #dbe1e6; --tile: #f3f6f8; --shade: #8894a0;
      --c0: #0a66b0; --c1: #c2410c; --c2: #0b7a55; --c3: #a3268f; --c4: #8a6100; --c5: #4b5fd6; }
    @media (prefers-color-scheme: dark) { :root { --paper: #12171c; --ink: #e4eaf0; --quiet: #9aa7b3;
      --rule: #2c353d; --tile: #1b2229; --shade: #6b7885; --c0: #5cb3f5; --c1: #ff9a62; --c2: #4fd0a0; --c3: #ee8fdf;
      --c4: #e6bf4a;
      --c5: #a3b0ff; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; background: var(--paper); color: var(--ink);
      font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
    h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .25rem; }
    p { margin: .25rem 0 .75rem; max-width: 46rem; overflow-wrap: anywhere; }
    .quiet, footer, figcaption, .tiles span { color: var(--quiet); }
    .warning { border-left: 4px solid var(--c1); padding-left: .75rem; font-weight: 600; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; padding: 0;
      margin: 1.25rem 0; list-style: none; }
    .tiles li { background: var(--tile); border-radius: .5rem; padding: .75rem 1rem; }
    .tiles b { display: block; font-size: 1.6rem; line-height: 1.25; }
    .tiles span { font-size: .875rem; }
    .wide { overflow-x: auto; scrollbar-width: thin; padding-bottom: .25rem;
      background: linear-gradient(to left, var(--paper) 40%, transparent) right / 3rem 100% no-repeat local,
      linear-gradient(to left, var(--shade), transparent) right / 1.25rem 100% no-repeat scroll; }
    .wide:focus-visible { outline: 2px solid var(--c0); }
    table { border-collapse: collapse; width: 100%; font-size: .875rem; }
    table.narrow { width: auto; }
    th, td { padding: .2rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
    th:first-child { text-align: left; font-weight: 400; padding-left: 0; position: sticky; left: 0;
      background: var(--paper); }
    tr.group th { padding-top: 1rem; color: var(--quiet); font-weight: 400; }
    tr.group th:first-child { color: var(--ink); font-weight: 600; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.5rem; }
    figure { margin: 0; min-width: 0; break-inside: avoid; }
    figcaption { font-weight: 600; font-size: .9rem; }
    figure > svg { display: block; width: 100%; height: auto; }
    svg text { fill: var(--quiet); font-size: 13px; }
    .middle { text-anchor: middle; }
    .end { text-anchor: end; }
    .grid { stroke: var(--rule); fill: none; }
    .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
    .c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); stroke-dasharray: 9 4; }
    .c2 { stroke: var(--c2); stroke-dasharray: 2 5; } .c3 { stroke: var(--c3); stroke-dasharray: 12 4 2 4; }
    .c4 { stroke: var(--c4); stroke-dasharray: 5 3; } .c5 { stroke: var(--c5); stroke-dasharray: 14 3; }
    circle { fill: var(--paper); stroke-width: 2.2; stroke-dasharray: none !important; }
    .legend { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; list-style: none; padding: 0 0 0 .5rem; margin: 0;
      font-size: .85rem; }
    .legend .swatch { width: 28px; height: 10px; margin-right: .35rem; }
    .legend b { font-weight: 600; }
    rect { fill: var(--c0); }
    footer { margin-top: 2.5rem; font-size: .875rem; }
    @media (max-width: 44rem) { .wide.many::before { content: "scroll sideways \\2192"; position: sticky; left: 0;
      color: var(--quiet); font-size: .8rem; }
      .wide.many th:first-child { white-space: normal; min-width: 7.5rem; max-width: 9rem; } }
    @media (max-width: 30rem) { svg text { font-size: 16px; } .tiles b { font-size: 1.3rem; } }
    @media print { :root { --paper: #fff; --ink: #000; --quiet: #333; --rule: #bbb; --tile: #fff; --c0: #0a4f8a;
      --c1: #b03a08; --c2: #076245; --c3: #85207a; --c4: #6d4c00; --c5: #3546b0; }
      body { padding: 0; max-width: none; font-size: 9pt; } h1 { font-size: 16pt; } h2 { margin-top: 1.25rem; }
      table { font-size: 7.5pt; } th, td { padding: .1rem .4rem; } .legend { font-size: 7.5pt; }
      .wide { overflow: visible; background: none; } .wide.many::before { content: none; }
      th:first-child { position: static; } .tiles { margin: 1.25rem 1px; }
      .charts { grid-template-columns: 1fr 1fr; gap: .75rem; } .tiles li { border: 1px solid var(--rule); }
      .tiles b { font-size: 13pt; } h2, h2 + p, tr.group { break-after: avoid; } }
    """
}
