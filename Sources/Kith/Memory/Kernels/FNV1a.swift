/// FNV-1a, a hash that is the same in every process: of cursors and of the names of relations.
///
/// It detects damage, not forgery. By Fowler, Noll and Vo.
enum FNV1a {
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}
